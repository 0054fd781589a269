import { createHash } from "node:crypto";
import type { Random } from "./random.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's: no i, l, o, u

/** A random id in lower-case base 32: 5 bits a character, 26 characters hold 130 bits. */
export function createId(random: Random, length = 26): string {
  let id = "";
  for (const byte of random.bytes(length)) id += alphabet[byte & 31];
  return id;
}

/** The same id for the same text: letters as in `createId`, from its SHA-256. At most 51 letters. */
export function idOfText(text: string, length: number): string {
  const digest = createHash("sha256").update(text).digest("hex");
  let bits = BigInt(`0x${digest}`);
  let id = "";
  for (let at = 0; at < length; at++) {
    id += alphabet[Number(bits & 31n)];
    bits >>= 5n;
  }
  return id;
}
