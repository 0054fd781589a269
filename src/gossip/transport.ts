/** Packets to and from addresses. They may be lost, doubled, late, in any order, or not ours. */
export interface Transport extends AsyncDisposable {
  /** "host:port", "[::1]:port" for IPv6. */
  address(): string;
  /** Never throws, never waits: what cannot be sent is lost, and counted. */
  send(to: string, packet: Uint8Array): void;
  /** One listener; the latest. */
  listen(listener: (from: string, packet: Uint8Array) => void): void;
  /** How many packets could not be sent. */
  failed(): number;
}

/**
 * One question, one answer, over a connection: for what does not fit into a packet. Both are opaque
 * here, and prove themselves to whom they are for.
 */
export interface PullTransport extends AsyncDisposable {
  /** Where it is bound to. Others ask at this port, and at the host that our packets come from. */
  address(): string;
  /** Throws AppError `unavailable` for every failure, a time-out and an answer too long among them. */
  ask(to: string, question: Uint8Array): Promise<Uint8Array>;
  /** One listener; the latest. It answers undefined to hang up. */
  answer(listener: (from: string, question: Uint8Array) => Promise<Uint8Array | undefined>): void;
}

/** For packets and for questions alike. */
export const portDefault = 9_999;
/** Of a packet in all: it passes every network that carries IPv6, tunnels included. */
export const packetBytesMax = 1_200;
/** Of a question and of an answer over a connection. */
export const questionBytesMax = 1_200;
export const answerBytesMax = 4 * 2 ** 20;
