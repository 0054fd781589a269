/**
 * How the processes of one data folder find each other: one lock, and a way to reach the process
 * that holds it. Adapters: a folder on disk with a loopback socket, and memory for simulations.
 */
export interface MeetingPoint {
  /** Undefined: another process holds the lock. The lock of a process that dies is released. */
  tryLock(): OwnerLock | undefined;
  /** Call only with the lock: from now on `connect` in other processes reaches this one. */
  listen(accept: (channel: Channel) => void): Promise<Listener>;
  /** Undefined: no process listens, or the one that listens does not know the folder's token. */
  connect(): Promise<Channel | undefined>;
  /** The process that listened last; for messages only. */
  lastOwner(): Promise<number | undefined>;
}

export interface OwnerLock extends Disposable {
  /**
   * False after the lock's file was deleted or replaced: then another process may hold its own
   * lock.
   */
  isInPlace(): boolean;
}

export interface Listener {
  /** Accepts no more connections, and cannot be found any more. Open channels stay open. */
  close(): Promise<void>;
}

/**
 * Messages between two processes of one machine. A message is a JSON value. Messages arrive whole
 * and in order until the channel closes. A channel that waits for nothing does not keep its process
 * alive.
 */
export interface Channel {
  send(message: unknown): void;
  /** Called once, before any message is delivered. */
  receive(onMessage: (message: unknown) => void): void;
  /** Back-pressure: while paused nothing is delivered. */
  setPaused(isPaused: boolean): void;
  /** Whether this channel keeps the process alive; at first it does not. */
  setWaiting(isWaiting: boolean): void;
  isClosed(): boolean;
  readonly closed: Promise<void>;
  /** Sends everything that was passed to `send` before, then closes. */
  close(): void;
}
