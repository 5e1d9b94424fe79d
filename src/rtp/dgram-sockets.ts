import { createSocket } from 'node:dgram';
import { isIPv6, SocketAddress } from 'node:net';
import type { DatagramSocket, Sockets } from './sockets.ts';

/** Node's own sockets, for systems other than Linux. */
export function dgramSockets(): Sockets {
  const opened = new Set<DatagramSocket>();
  return {
    async open(host, port, onDatagram) {
      const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
      try {
        await new Promise<void>((resolve, reject) => {
          socket.once('error', reject).bind(port, host, () => {
            socket.off('error', reject);
            resolve();
          });
        });
      } catch (error) {
        socket.close();
        if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
        throw error;
      }
      socket.on('error', () => {}); // an ICMP error of what we sent
      let peer: { host: string; port: number } | undefined;
      socket.on('message', (datagram, from) => {
        if (peer && from.address === peer.host && from.port === peer.port) onDatagram(datagram);
      });
      const made: DatagramSocket = {
        connect(peerHost, peerPort) {
          // Written as the kernel's own, since they are compared.
          const family = isIPv6(peerHost) ? 'ipv6' : 'ipv4';
          peer = { host: new SocketAddress({ address: peerHost, family }).address, port: peerPort };
        },
        send(datagram) {
          if (peer && opened.has(made)) socket.send(Buffer.from(datagram), peer.port, peer.host, () => {});
        },
        close() {
          if (opened.delete(made)) socket.close();
        },
      };
      opened.add(made);
      return made;
    },
    poll() {}, // the event loop hands them on
    flush() {},
    close() {
      for (const socket of opened) socket.close();
    },
  };
}
