export interface Once<T> {
  /** Creates the value at the first call. After a failed attempt, the next call tries again. */
  readonly get: () => Promise<T>;
  /** The value; undefined if `get` was never called or failed. */
  readonly opened: () => Promise<T | undefined>;
}

/** Creates a value when it is first needed; concurrent calls share one attempt. */
export function createOnce<T>(make: () => Promise<T>): Once<T> {
  let making: Promise<T> | undefined;
  return {
    get() {
      making ??= make().catch((error: unknown) => {
        making = undefined;
        throw error;
      });
      return making;
    },
    opened: async () => making?.catch(() => undefined),
  };
}
