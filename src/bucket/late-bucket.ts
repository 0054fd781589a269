import { closable } from "../base/closable.ts";
import type { Bucket } from "./bucket.ts";
import { isUnavailable } from "./bucket-error.ts";

/**
 * Opens a bucket; where its store does not answer now, a bucket that is opened by the first call
 * that reaches the store. Until then every call throws what opening did: `unavailable`. So a node
 * starts, and a command says what it can, while a store is away. What is wrong for good is thrown
 * here.
 */
export async function openLateBucket(open: () => Promise<Bucket>): Promise<Bucket> {
  try {
    return await open();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  let opened: Bucket | undefined;
  let opening: Promise<Bucket> | undefined;
  const there = async (): Promise<Bucket> => {
    if (opened) return opened;
    opening ??= open().finally(() => (opening = undefined));
    return (opened = await opening);
  };
  return {
    get: async (key, options) => (await there()).get(key, options),
    putIfAbsent: async (key, body) => (await there()).putIfAbsent(key, body),
    putIfMatch: async (key, body, etag) => (await there()).putIfMatch(key, body, etag),
    put: async (key, body) => (await there()).put(key, body),
    delete: async (key) => (await there()).delete(key),
    list: async (prefix, options) => (await there()).list(prefix, options),
    now: async () => (await there()).now(),
    traits: () => opened?.traits() ?? {},
    ...closable(async () => {
      await opening?.catch(() => {}); // it closes what it could not open
      await opened?.close();
    }),
  };
}
