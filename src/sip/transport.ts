import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { isIP, isIPv6, type Server, type Socket, connect as tcpConnect, createServer as tcpServer } from 'node:net';
import { connect as tlsConnect, createServer as tlsServer } from 'node:tls';
import { StreamFraming } from './stream-framing.ts';

export type Protocol = 'udp' | 'tcp' | 'tls';

/** A place that messages go to or come from: always an IP address. */
export type Address = { protocol: Protocol; host: string; port: number };

export type TransportOptions = {
  host: string;
  port: number;
  tls?: {
    /** Trusted in place of the system's authorities. */
    ca?: string;
    /** To be called over TLS, not to call. */
    key?: string;
    cert?: string;
  };
  /** `answer` goes back the way the message came. */
  onData: (data: Buffer, from: Address, answer: (data: Buffer) => void) => void;
};

const connectTimeoutMs = 5_000;
const keepAliveMs = 30_000;
const largestDatagram = 65_507;
const anyPortAttempts = 20;

/** The sockets of one SIP element: UDP, TCP and TLS on one address. */
export class Transport {
  readonly host: string;
  readonly #options: TransportOptions;
  readonly #connections = new Map<string, Connection>();
  #udp: UdpSocket | undefined;
  #servers: Server[] = [];
  #port = 0;
  #closed = false;

  constructor(options: TransportOptions) {
    this.host = options.host;
    this.#options = options;
  }

  /** UDP and TCP on the given port (0: any), TLS on the one above. */
  async listen(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#bind();
        return;
      } catch (error) {
        await this.#unbind();
        // A port that is free for UDP may be taken for TCP.
        const another = this.#options.port === 0 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!another || attempt === anyPortAttempts) throw error;
      }
    }
  }

  async #bind(): Promise<void> {
    const udp = createSocket({
      type: isIPv6(this.host) ? 'udp6' : 'udp4',
      recvBufferSize: 4 * 1024 * 1024,
      lookup: takeAddress,
    });
    this.#udp = udp;
    await new Promise<void>((resolve, reject) => {
      udp.once('error', reject).bind(this.#options.port, this.host, () => {
        udp.off('error', reject);
        resolve();
      });
    });
    udp.on('message', (data, { address, port }) => this.#onDatagram(data, address, port));
    udp.on('error', () => {}); // an ICMP error: the transaction's timer tells
    this.#port = udp.address().port;
    const tcp = tcpServer((socket) => this.#accept(socket, 'tcp'));
    this.#servers = [tcp];
    await listenOn(tcp, this.#port, this.host);
    const { key, cert } = this.#options.tls ?? {};
    if (!key || !cert) return;
    const tls = tlsServer({ key, cert }, (socket) => this.#accept(socket, 'tls'));
    this.#servers.push(tls);
    await listenOn(tls, this.#port + 1, this.host);
  }

  async #unbind(): Promise<void> {
    const [udp, servers] = [this.#udp, this.#servers];
    this.#udp = undefined;
    this.#servers = [];
    await Promise.all([
      udp && new Promise<void>((resolve) => udp.close(() => resolve())),
      ...servers.map((server) => new Promise((resolve) => server.close(resolve))),
    ]);
  }

  /** Where we are reached with a protocol. */
  localPort(protocol: Protocol): number {
    return protocol === 'tls' ? this.#port + 1 : this.#port;
  }

  /** Where a peer reaches us. Without a certificate nobody can connect to us by TLS: only our own connection leads back. */
  portTowards(peer: Address): number {
    const listens = peer.protocol !== 'tls' || this.#servers.length > 1;
    return (listens ? undefined : this.#connections.get(keyOf(peer))?.localPort) ?? this.localPort(peer.protocol);
  }

  /** Opens a connection, where the protocol has any. */
  async connect(to: Address, serverName?: string): Promise<void> {
    if (to.protocol !== 'udp') await this.#connectionTo(to, serverName);
  }

  /** Sends to an address; a stream is opened or used again. `serverName` is whom a certificate must name. */
  async send(data: Buffer, to: Address, serverName?: string): Promise<void> {
    if (this.#closed) throw new Error('The transport is closed');
    if (to.protocol === 'udp') return this.#sendDatagram(data, to);
    const connection = await this.#connectionTo(to, serverName);
    connection.write(data);
  }

  /** RFC 5626 §3.5.1: a double line break, over UDP or a connection that is open. */
  ping(to: Address): void {
    const ping = Buffer.from('\r\n\r\n');
    if (to.protocol === 'udp') void this.#sendDatagram(ping, to).catch(() => {});
    else this.#connections.get(keyOf(to))?.write(ping);
  }

  #sendDatagram(data: Buffer, { host, port }: Address): Promise<void> {
    if (data.length > largestDatagram) return Promise.reject(new Error('The message is too large for UDP'));
    return new Promise((resolve, reject) => {
      if (!this.#udp) throw new Error('The transport does not listen');
      this.#udp.send(data, port, host, (error) => (error ? reject(error) : resolve()));
    });
  }

  #onDatagram(data: Buffer, host: string, port: number): void {
    if (data.length <= 4 && /^[\r\n\0]*$/.test(data.toString('latin1'))) return; // a keep-alive
    const from: Address = { protocol: 'udp', host, port };
    this.#options.onData(data, from, (answer) => void this.#sendDatagram(answer, from).catch(() => {}));
  }

  async #connectionTo(to: Address, serverName: string | undefined): Promise<Connection> {
    const key = keyOf(to);
    const known = this.#connections.get(key);
    if (known) return known.opened;
    const tcp = tcpConnect({ host: to.host, port: to.port, localAddress: this.host });
    const socket = to.protocol === 'tcp' ? tcp : this.#secure(tcp, serverName ?? to.host);
    const opened = to.protocol === 'tcp' ? 'connect' : 'secureConnect';
    return this.#keep(new Connection(socket, to, opened, this.#options.onData)).opened;
  }

  /** The certificate must name whom we wanted to reach; an IP address must stand in it as such. */
  #secure(socket: Socket, serverName: string): Socket {
    const ca = this.#options.tls?.ca;
    // Without `host`, Node would look for "localhost" in the certificate of an IP address.
    const whom = isIP(serverName) ? { host: serverName } : { servername: serverName };
    return tlsConnect({ socket, ...(ca !== undefined && { ca }), ...whom });
  }

  #accept(socket: Socket, protocol: Protocol): void {
    const from: Address = { protocol, host: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    this.#keep(new Connection(socket, from, undefined, this.#options.onData));
  }

  #keep(connection: Connection): Connection {
    const key = keyOf(connection.remote);
    this.#connections.set(key, connection);
    connection.closed.then(() => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    });
    return connection;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const connection of this.#connections.values()) connection.destroy();
    await this.#unbind();
  }
}

function keyOf({ protocol, host, port }: Address): string {
  return `${protocol} ${host} ${port}`;
}

/** We only send to IP addresses; asking for them as for names costs a turn of the loop. */
function takeAddress(
  host: string,
  _options: unknown,
  found: (error: null, address: string, family: number) => void,
): void {
  found(null, host, isIP(host));
}

function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** One TCP or TLS connection, opened by us or by the peer. */
class Connection {
  readonly remote: Address;
  readonly opened: Promise<Connection>;
  readonly closed: Promise<void>;
  readonly #socket: Socket;

  constructor(socket: Socket, remote: Address, openEvent: string | undefined, onData: TransportOptions['onData']) {
    this.remote = remote;
    this.#socket = socket;
    const framing = new StreamFraming({
      onMessage: (data) => onData(data, remote, (answer) => this.write(answer)),
      onPing: () => this.write(Buffer.from('\r\n')),
    });
    socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
    socket.on('data', (data: Buffer) => {
      try {
        framing.push(data);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {}); // 'close' follows
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.opened = openEvent === undefined ? Promise.resolve(this) : this.#open(openEvent);
    this.opened.catch(() => {}); // whoever sends hears of it
  }

  #open(event: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(
        () => this.#socket.destroy(new Error('The connection could not be opened in time')),
        connectTimeoutMs,
      );
      this.#socket.once(event, () => {
        clearTimeout(timeout);
        resolve(this);
      });
      this.#socket.once('error', reject);
      this.#socket.once('close', () => {
        clearTimeout(timeout);
        reject(new Error('The connection was closed'));
      });
    });
  }

  get localPort(): number | undefined {
    return this.#socket.localPort;
  }

  write(data: Buffer): void {
    if (this.#socket.writable) this.#socket.write(data);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
