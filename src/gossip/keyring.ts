import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { AppError } from "../base/app-error.ts";
import type { Random } from "../base/random.ts";

/**
 * The secret that the nodes of a fleet share. The first key encrypts, all are accepted. To replace
 * a key, add the new one as the last, move it to the front when every node has it, then remove the
 * old one. There is always at least one: no address, not even loopback, is trusted without a key.
 */
export interface Keyring {
  /** 32 bytes each, at least one. */
  readonly keys: readonly Uint8Array[];
}

export const keyBytes = 32;
/** Each key costs one more try for every packet of an unknown session. */
export const keysMax = 4;

export function parseKeyring(texts: readonly string[]): Keyring {
  if (texts.length > keysMax) throw badKeys(`there are ${texts.length}; ${keysMax} are enough`);
  const keys = texts.map((text) => {
    const key = /^[A-Za-z0-9+/]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined;
    if (key?.byteLength !== keyBytes) throw badKeys("one is not 32 bytes in base64");
    return new Uint8Array(key);
  });
  return checkKeyring({ keys });
}

export function checkKeyring(keyring: Keyring): Keyring {
  const { keys } = keyring;
  if (keys.length === 0) throw badKeys("there is none");
  if (keys.length > keysMax) throw badKeys(`there are ${keys.length}; ${keysMax} are enough`);
  for (const key of keys) {
    if (key.byteLength !== keyBytes) throw badKeys(`one has ${key.byteLength} bytes, not 32`);
    if (key.every((byte) => byte === key[0]))
      throw badKeys("one consists of the same byte repeated");
  }
  return keyring;
}

/** A key in the form of the setting. Use it only with the system's random source. */
export const makeKey = (random: Random): string =>
  Buffer.from(random.bytes(keyBytes)).toString("base64");

/**
 * A key for one session of one sender, so that counters may begin at 1 in each and no nonce is used
 * twice. A KeyObject, because making a cipher from bytes takes twice as long.
 */
export function subkeyOf(key: Uint8Array, node: string, session: string): KeyObject {
  const info = `forager gossip 1/${node}/${session}`;
  return createSecretKey(new Uint8Array(hkdfSync("sha256", key, "", info, keyBytes)));
}

const badKeys = (why: string) =>
  new AppError(
    "invalid",
    "gossip_keys",
    `the gossip keys cannot be used: ${why}; \`forager node key\` makes one`,
  );
