import type { PutOptions } from "../../bucket/index.ts";
import type { SiteStore } from "./site-store.ts";

/** The number of concurrent requests. */
const concurrency = 8;

/**
 * Writes several files concurrently. `put` waits while the limit is reached, so that memory stays
 * small.
 */
export function createUploads(store: SiteStore, onCount: (count: number) => void = () => {}) {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let count = 0;
  const check = () => {
    if (failure) throw failure.error;
  };
  return {
    async put(path: string, bytes: () => Uint8Array, options: PutOptions): Promise<void> {
      while (running.size >= concurrency) await Promise.race(running);
      check();
      const upload: Promise<void> = store
        .put(path, bytes(), options)
        .then(
          () => onCount((count += 1)),
          (error: unknown) => void (failure ??= { error }),
        )
        .finally(() => running.delete(upload));
      running.add(upload);
    },
    async end(): Promise<void> {
      await Promise.all(running);
      check();
    },
    count: () => count,
    /** Waits for all requests, also when building the site failed. */
    async [Symbol.asyncDispose]() {
      await Promise.all(running);
    },
  };
}
