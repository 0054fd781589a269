export interface Once<T> {
  /** Makes it at the first call; a failed attempt is repeated by the next call. */
  readonly get: () => Promise<T>;
  /** What was made; undefined if nobody asked for it, or it could not be made. */
  readonly opened: () => Promise<T | undefined>;
}

/** Makes something when it is first needed, once, however many ask at the same time. */
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
