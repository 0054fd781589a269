/** Packets to and from addresses. They may be lost, doubled, late, out of order, or forged. */
export interface Transport extends AsyncDisposable {
  /** "host:port", "[::1]:port" for IPv6. */
  address(): string;
  /** Never throws, never waits: packets that cannot be sent are lost, and counted. */
  send(to: string, packet: Uint8Array): void;
  /** Sets the listener and replaces the one before. */
  listen(listener: (from: string, packet: Uint8Array) => void): void;
  /** How many packets could not be sent. */
  failed(): number;
}

/**
 * One question, one answer, over a connection: for what does not fit into a packet. Both are opaque
 * here; the receiver verifies them.
 */
export interface PullTransport extends AsyncDisposable {
  /**
   * The address that it is bound to. Others ask at this port, and at the host that our packets come
   * from.
   */
  address(): string;
  /**
   * Throws AppError `unavailable` for every failure, including a time-out and an answer that is too
   * long.
   */
  ask(to: string, question: Uint8Array): Promise<Uint8Array>;
  /**
   * Sets the listener and replaces the one before. It returns undefined to close the connection.
   */
  answer(listener: (from: string, question: Uint8Array) => Promise<Uint8Array | undefined>): void;
}

/** The default port, for packets and for connections. */
export const portDefault = 9_999;
/** The size of a whole packet: it passes every network that carries IPv6, tunnels included. */
export const packetBytesMax = 1_200;
/** Limits of a question and of an answer over a connection. */
export const questionBytesMax = 1_200;
export const answerBytesMax = 4 * 2 ** 20;
