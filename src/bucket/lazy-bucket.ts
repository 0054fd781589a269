import { AppError } from "../base/app-error.ts";
import { closable } from "../base/closable.ts";
import type { Bucket } from "./bucket.ts";

/**
 * A bucket that its first call opens. If opening fails, the call throws that error and the next
 * call tries again. After `close()` it is never opened.
 */
export function createLazyBucket(open: () => Promise<Bucket>): Bucket {
  let opened: Bucket | undefined;
  let opening: Promise<Bucket> | undefined;
  let isClosed = false;
  const bucket = async (): Promise<Bucket> => {
    if (opened) return opened;
    if (isClosed) throw new AppError("invalid", "bucket_closed", "the bucket was closed already");
    opening ??= open().finally(() => (opening = undefined));
    return (opened = await opening);
  };
  return {
    get: async (key, options) => (await bucket()).get(key, options),
    putIfAbsent: async (key, body) => (await bucket()).putIfAbsent(key, body),
    putIfMatch: async (key, body, etag) => (await bucket()).putIfMatch(key, body, etag),
    put: async (key, body, options) => (await bucket()).put(key, body, options),
    delete: async (key) => (await bucket()).delete(key),
    list: async (prefix, options) => (await bucket()).list(prefix, options),
    now: async () => (await bucket()).now(),
    traits: () => opened?.traits() ?? {},
    ...closable(async () => {
      isClosed = true;
      const late = await opening?.catch(() => undefined); // nothing to close if opening failed
      await (opened ?? late)?.close();
    }),
  };
}
