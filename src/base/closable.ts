/**
 * A resource that is closed by `close()` or by leaving the block that declares it with `await
 * using`. Closing it a second time returns the promise of the first call.
 */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

/** Both ways to close; `close` runs only once. */
export function closable(close: () => Promise<void>): Closable {
  let closing: Promise<void> | undefined;
  const once = () => (closing ??= close());
  return { close: once, [Symbol.asyncDispose]: once };
}
