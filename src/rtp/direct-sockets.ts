import { isIPv6 } from 'node:net';
import koffi from 'koffi';
import { type DatagramSocket, largestDatagram, type Sockets } from './sockets.ts';

// Linux' numbers, the same on x64 and arm64.
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_IP = 0;
const IP_TOS = 1;
const IPPROTO_IPV6 = 41;
const IPV6_TCLASS = 67;
const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const EAGAIN = 11;
const EADDRINUSE = 98;

// The kernel packs struct epoll_event on x64 only.
const [eventBytes, eventData] = process.arch === 'x64' ? [12, 4] : [16, 8];
const datagramsAtOnce = 256;
/** In one poll: a flood must not keep the thread from sending. */
const mostRounds = 64;

// Expedited forwarding (RFC 4594 §4.1), for the networks on the way that care.
const voiceTrafficClass = Buffer.from([0xb8, 0, 0, 0]);

/**
 * The kernel's own calls. `node:dgram` makes an object and a callback for each datagram,
 * which fills a core at a quarter of the calls.
 *
 * Datagrams are collected and leave one after the other, and are likewise all read before the first one
 * is looked at: a system call costs half as much when the last thing that the core did was the same one.
 */
export function directSockets(): Sockets {
  const libc = koffi.load(null);
  const calls = {
    socket: libc.func('int socket(int, int, int)'),
    bind: libc.func('int bind(int, const void *, uint32_t)'),
    connect: libc.func('int connect(int, const void *, uint32_t)'),
    setsockopt: libc.func('int setsockopt(int, int, int, const void *, uint32_t)'),
    send: libc.func('intptr_t send(int, const void *, size_t, int)'),
    recv: libc.func('intptr_t recv(int, void *, size_t, int)'),
    close: libc.func('int close(int)'),
    epollCreate: libc.func('int epoll_create1(int)'),
    epollControl: libc.func('int epoll_ctl(int, int, int, const void *)'),
    nanosleep: libc.func('int nanosleep(const void *, void *)'),
    epollWait: libc.func('int epoll_wait(int, void *, int, int)'),
  };
  const fail = (what: string) => new Error(`${what} failed with errno ${koffi.errno()}`);
  const epoll: number = calls.epollCreate(EPOLL_CLOEXEC);
  if (epoll < 0) throw fail('epoll_create1');
  const pause = new BigInt64Array(2);
  const events = Buffer.alloc(eventBytes * datagramsAtOnce);
  const outbox = newBox();
  const inbox = newBox();
  let unsent = 0;
  const scratch = Buffer.alloc(largestDatagram);
  const opened = new Set<number>();
  const listeners = new Map<number, (datagram: Buffer) => void>();

  function open(host: string, port: number, onDatagram: (datagram: Buffer) => void): DatagramSocket | undefined {
    const fd: number = calls.socket(isIPv6(host) ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) throw fail('socket');
    const address = socketAddress(host, port);
    if (calls.bind(fd, address, address.length) !== 0) {
      const isTaken = koffi.errno() === EADDRINUSE;
      const error = fail('bind');
      calls.close(fd);
      if (isTaken) return undefined;
      throw error;
    }
    calls.setsockopt(fd, IPPROTO_IP, IP_TOS, voiceTrafficClass, 4);
    if (isIPv6(host)) calls.setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, voiceTrafficClass, 4);
    opened.add(fd);
    let isOpen = true;
    return {
      connect(peerHost, peerPort) {
        if (!isOpen) return;
        flush(); // what is meant for the peer before
        const peer = socketAddress(peerHost, peerPort);
        if (calls.connect(fd, peer, peer.length) !== 0) throw fail('connect');
        while (calls.recv(fd, scratch, largestDatagram, 0) >= 0 || koffi.errno() !== EAGAIN) {
          // what came before the kernel knew the peer; an ICMP error among it is not the end
        }
        if (!listeners.has(fd)) {
          const event = Buffer.alloc(eventBytes);
          event.writeUInt32LE(EPOLLIN, 0);
          event.writeInt32LE(fd, eventData);
          if (calls.epollControl(epoll, EPOLL_CTL_ADD, fd, event) !== 0) throw fail('epoll_ctl');
        }
        listeners.set(fd, onDatagram);
      },
      send(data) {
        if (!isOpen) return;
        if (unsent === datagramsAtOnce) flush();
        const place = outbox[unsent++] as Place;
        place.fd = fd;
        place.length = data.copy(place.bytes);
      },
      close() {
        if (!isOpen) return;
        flush();
        isOpen = false;
        listeners.delete(fd);
        opened.delete(fd);
        calls.close(fd);
      },
    };
  }

  function flush(): void {
    for (let i = 0; i < unsent; i++) {
      const { fd, bytes, length } = outbox[i] as Place;
      calls.send(fd, bytes, length, 0);
    }
    unsent = 0;
  }

  /** One datagram of each socket: a second one that waits there is found by the next poll. */
  function receive(): number {
    const count: number = calls.epollWait(epoll, events, datagramsAtOnce, 0);
    for (let i = 0; i < count; i++) {
      const place = inbox[i] as Place;
      place.fd = events.readInt32LE(i * eventBytes + eventData);
      place.length = calls.recv(place.fd, place.bytes, largestDatagram, 0);
    }
    for (let i = 0; i < count; i++) {
      const { fd, bytes, length } = inbox[i] as Place;
      if (length >= 0) listeners.get(fd)?.(bytes.subarray(0, length)); // less: an ICMP error of what we sent
    }
    return count;
  }

  return {
    open: async (host, port, onDatagram) => open(host, port, onDatagram),
    flush,
    rest(ms) {
      pause[1] = BigInt(Math.floor(ms * 1e6));
      calls.nanosleep(pause, null);
    },
    poll() {
      for (let round = 0; round < mostRounds && receive() === datagramsAtOnce; round++);
    },
    close() {
      flush();
      for (const fd of opened) calls.close(fd);
      opened.clear();
      listeners.clear();
      calls.close(epoll);
    },
  };
}

type Place = { fd: number; length: number; bytes: Buffer };

function newBox(): Place[] {
  return Array.from({ length: datagramsAtOnce }, () => ({ fd: -1, length: 0, bytes: Buffer.alloc(largestDatagram) }));
}

function socketAddress(host: string, port: number): Buffer {
  if (!isIPv6(host)) {
    const address = Buffer.alloc(16);
    address.writeUInt16LE(AF_INET, 0);
    address.writeUInt16BE(port, 2);
    address.set(host.split('.').map(Number), 4);
    return address;
  }
  const address = Buffer.alloc(28);
  address.writeUInt16LE(AF_INET6, 0);
  address.writeUInt16BE(port, 2);
  address.set(bytesOfIPv6(host), 8);
  return address;
}

function bytesOfIPv6(host: string): Uint8Array {
  // The URL parser knows every way to write one, and writes it as eight groups with at most one gap.
  const [before = '', after] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [head, tail] = [groups(before), groups(after ?? '')];
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
