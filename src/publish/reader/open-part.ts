/** Turns a part into text: decrypts it if the site is sealed, then decompresses it. */

/** Larger than any real part. */
const partBytesMax = 64 * 2 ** 20;
const ivBytes = 12;

/** The key of a link does not open this site. */
export class WrongKey extends Error {
  override readonly name = "WrongKey";
}

export interface PartOpener {
  open(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
}

export const plainOpener: PartOpener = { open: (bytes) => unpack(bytes) };

/** Throws `WrongKey` for a text that cannot be a key. */
export async function createSealOpener(keyText: string): Promise<PartOpener> {
  const secret = bytesOfBase64Url(keyText);
  if (secret?.byteLength !== 32) throw new WrongKey("the key is not complete");
  const { subtle } = crypto;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const base = await subtle.importKey("raw", secret, hmac, false, ["sign"]);
  const derived = await subtle.sign("HMAC", base, new TextEncoder().encode("seal"));
  const key = await subtle.importKey("raw", derived, "AES-GCM", false, ["decrypt"]);
  return {
    async open(bytes) {
      const [iv, sealed] = [bytes.slice(0, ivBytes), bytes.slice(ivBytes)];
      let packed: ArrayBuffer;
      try {
        packed = await subtle.decrypt({ name: "AES-GCM", iv }, key, sealed);
      } catch (cause) {
        throw new WrongKey("the key does not open this part", { cause });
      }
      return unpack(new Uint8Array(packed));
    },
  };
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let total = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    total += value.byteLength;
    if (total > partBytesMax) throw new Error("a part is too large");
    text += decoder.decode(value, { stream: true });
  }
}

export function bytesOfBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined;
  return bytesOfBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
