import { AppError } from "../base/app-error.ts";
import { createUsvScanner, type Dialect } from "./scan-usv.ts";
import { encodeRecord } from "./write-usv.ts";

/**
 * Decodes bytes in pieces of any size to records. Throws `usv_not_utf8` for bytes that are not
 * UTF-8.
 */
export async function* readUsvRecords(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { readonly dialect?: Dialect } = {},
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let ready: string[][] = [];
  const scanner = createUsvScanner({ ...options, onRecord: (units) => ready.push(units) });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      const message = "this is not UTF-8, so it is not USV: convert it first";
      throw new AppError("invalid", "usv_not_utf8", message, { cause });
    }
  };
  for await (const chunk of chunks) {
    scanner.push(decode(chunk));
    yield* ready;
    ready = [];
    if (scanner.isEnded()) return;
  }
  scanner.push(decode());
  scanner.end();
  yield* ready;
}

/**
 * Encodes records to bytes, one record at a time. Throws for a lone surrogate, which has no UTF-8.
 */
export async function* writeUsvRecords(
  records: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<Uint8Array> {
  for await (const units of records) {
    const text = encodeRecord(units);
    if (/\p{Surrogate}/u.test(text)) {
      const message = "a unit contains a lone surrogate (half a character), which cannot be stored";
      throw new AppError("invalid", "usv_not_unicode", message);
    }
    yield Buffer.from(text);
  }
}
