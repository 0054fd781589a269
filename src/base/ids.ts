import type { Random } from "./random.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's: no i, l, o, u

/** A random id in lower-case base 32: 5 bits a character, 26 characters hold 130 bits. */
export function createId(random: Random, length = 26): string {
  let id = "";
  for (const byte of random.bytes(length)) id += alphabet[byte & 31];
  return id;
}
