import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { AppError } from "../../base/app-error.ts";
import { gunzipBounded } from "../../base/files/gunzip-bounded.ts";
import type { Random } from "../../base/random.ts";

/** Turns a text into the bytes of a part, and chooses the name of the part. */
export interface Sealing {
  nameOf(identity: string): string;
  pack(text: string): Uint8Array;
}

const nameLength = 20;
const keyBytes = 32;
const [ivBytes, tagBytes] = [12, 16];
/** Only manifests are decrypted here. */
const manifestLimits = { bytesMax: 64 * 2 ** 20, start: '{"format"' };

/** No encryption: anybody can read the site. */
export const openSealing: Sealing = {
  nameOf: (identity) => createHash("sha256").update(identity).digest("hex").slice(0, nameLength),
  pack: (text) => gzipSync(text),
};

export interface KeySealing extends Sealing {
  /**
   * The key that a browser gets. It is in the fragment of the link, so it is never sent to a
   * server.
   */
  readonly key: string;
  /** Throws `site_key` if it was sealed with another key. */
  unpack(bytes: Uint8Array): string;
}

export const makeSiteKey = (random: Random): string =>
  Buffer.from(random.bytes(keyBytes)).toString("base64url");

/** AES-256-GCM. Without the key, the name of a part reveals nothing about its content. */
export function createKeySealing(key: string, random: Random): KeySealing {
  const secret = Buffer.from(key, "base64url");
  if (secret.byteLength !== keyBytes) {
    throw new AppError(
      "corrupt",
      "site_key",
      "the key of the site is damaged: publish again with --rotate-key",
    );
  }
  const derived = (use: string) => createHmac("sha256", secret).update(use).digest();
  const [sealKey, nameKey] = [derived("seal"), derived("name")];
  return {
    key,
    nameOf: (identity) =>
      createHmac("sha256", nameKey).update(identity).digest("hex").slice(0, nameLength),
    pack(text) {
      const iv = random.bytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv);
      return Buffer.concat([
        iv,
        cipher.update(gzipSync(text)),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    unpack(bytes) {
      try {
        const decipher = createDecipheriv("aes-256-gcm", sealKey, bytes.subarray(0, ivBytes));
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        const packed = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()];
        return gunzipBounded(Buffer.concat(packed), manifestLimits).toString();
      } catch (cause) {
        throw new AppError("invalid", "site_key", "the site is sealed with another key", { cause });
      }
    },
  };
}
