/**
 * Where the processes of one data folder meet: one lock, and a way to reach the process that holds
 * it. Adapters: a folder on disk with a loopback socket, and memory for simulations.
 */
export interface MeetingPoint {
  /** Undefined: another process holds the lock. A process that dies has released it. */
  tryLock(): OwnerLock | undefined;
  /** Only with the lock: from now on `connect` in other processes reaches this one. */
  listen(accept: (channel: Channel) => void): Promise<Listener>;
  /** Undefined: nobody listens, or the process that listens does not know the folder's token. */
  connect(): Promise<Channel | undefined>;
  /** The process that listened last; for messages only. */
  lastOwner(): Promise<number | undefined>;
}

export interface OwnerLock extends Disposable {
  /** False once the lock's file was deleted or replaced: then another process may hold its own. */
  isInPlace(): boolean;
}

export interface Listener {
  /** Accepts nobody any more, and is not found any more. Open channels stay open. */
  close(): Promise<void>;
}

/**
 * Messages between two processes of one machine. A message is a JSON value. Messages arrive whole
 * and in order until the channel closes. A channel with nothing to wait for does not keep its
 * process alive.
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
  /** Sends what was given to `send` before, then closes. */
  close(): void;
}
