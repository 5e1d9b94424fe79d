/** A datagram socket that hears its peer only. */
export type DatagramSocket = {
  /** From now on only this address is sent to and heard; what others sent before is thrown away. */
  connect(host: string, port: number): void;
  /**
   * Leaves with the next flush. Never waits and never throws: what the kernel cannot take then is lost,
   * as on any network.
   */
  send(datagram: Buffer): void;
  close(): void;
};

/** All datagram sockets of one thread. */
export type Sockets = {
  /** Undefined when the port is taken. `onDatagram` may keep nothing of what it is given. */
  open(host: string, port: number, onDatagram: (datagram: Buffer) => void): Promise<DatagramSocket | undefined>;
  /** Hands on what has arrived. */
  poll(): void;
  flush(): void;
  /** Sleeps to a fraction of a millisecond, where the system lets us. */
  rest?: (ms: number) => void;
  close(): void;
};

/** The largest datagram that is worth reading: an Ethernet frame, with room for jumbo SRTP. */
export const largestDatagram = 2048;
