/**
 * A resource that is closed by `close()`, or at the end of the block that declares it with
 * `await using`: both are the same. Closing it again returns the promise of the first time.
 */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

/** The two names of one closing, which runs once. */
export function closable(close: () => Promise<void>): Closable {
  let closing: Promise<void> | undefined;
  const once = () => (closing ??= close());
  return { close: once, [Symbol.asyncDispose]: once };
}
