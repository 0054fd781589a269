/**
 * Unpacks a body as it arrives. It holds only one piece at a time: output is counted and passed on
 * at once, and the limits end the work before memory runs out.
 */
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from "node:zlib";
import type { Transform } from "node:stream";
import type { BodySink, FailureReason, FetchLimits } from "./fetcher.ts";

export type Packing = "gzip" | "deflate" | "br";

/** Thrown to end the transfer; it becomes the outcome of the fetch. */
export class BodyError extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** `onBody` returned "enough". Not a failure, but it ends the transfer like one. */
export class EnoughError extends Error {}

export interface Unpacker {
  /** A promise resolves when the piece is processed. Throws or rejects at a limit. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Resolves when the last piece is processed. */
  end(): Promise<void> | undefined;
  /** Aborts and frees its memory. */
  close(): void;
  readonly wireBytes: number;
  readonly unpackedBytes: number;
}

export interface UnpackerOptions {
  readonly packing: Packing | undefined;
  /**
   * Whether packed data may lack its last bytes. True if the body is known to be complete: such
   * servers are common, and browsers accept it. Otherwise the transfer was cut. Default true.
   */
  readonly canLackEnd?: boolean;
  readonly limits: Pick<FetchLimits, "bytesMax" | "ratioMax">;
  readonly sink: BodySink;
}

/** Below this size the ratio says nothing: a small empty page packs well too. */
const ratioFromBytes = 1024 * 1024;

/** undefined: an encoding that we did not ask for and cannot decode. "none": not packed. */
export function packingOf(contentEncoding: string | undefined): Packing | "none" | undefined {
  switch (contentEncoding?.trim().toLowerCase() ?? "") {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "deflate":
      return "deflate";
    case "br":
      return "br";
    default:
      return undefined;
  }
}

export function createUnpacker(options: UnpackerOptions): Unpacker {
  const { packing, canLackEnd = true, limits, sink } = options;
  let wireBytes = 0;
  let unpackedBytes = 0;
  let stream: Transform | undefined;
  let failure: Error | undefined;
  let ended: Promise<void> | undefined;

  function take(chunk: Uint8Array): Promise<void> | undefined {
    unpackedBytes += chunk.length;
    if (unpackedBytes > limits.bytesMax) {
      throw new BodyError("too_large", `more than ${limits.bytesMax} bytes`);
    }
    if (packing && unpackedBytes > ratioFromBytes && unpackedBytes > wireBytes * limits.ratioMax) {
      throw new BodyError(
        "bomb",
        `${wireBytes} bytes had unpacked to ${unpackedBytes}, more than ${limits.ratioMax} times as many`,
      );
    }
    const wish = sink(chunk);
    if (wish === "enough") throw new EnoughError();
    if (wish === "more") return undefined;
    return wish.then((later) => {
      if (later === "enough") throw new EnoughError();
    });
  }

  function open(first: Uint8Array): Transform {
    const opened = streamFor(packing!, { first, canLackEnd });
    const fail = (error: unknown) => opened.destroy(error as Error);
    opened.on("data", (chunk: Uint8Array) => {
      try {
        const pending = take(chunk);
        if (!pending) return;
        opened.pause();
        pending.then(() => opened.resume(), fail);
      } catch (error) {
        fail(error);
      }
    });
    ended = new Promise((resolve, reject) => {
      opened.once("end", resolve);
      opened.once("error", (error: Error) => {
        failure = ownError(error);
        reject(failure);
      });
    });
    ended.catch(() => {});
    return opened;
  }

  return {
    get wireBytes() {
      return wireBytes;
    },
    get unpackedBytes() {
      return unpackedBytes;
    },
    write(chunk) {
      if (failure) throw failure;
      wireBytes += chunk.length;
      if (!packing) return take(chunk);
      stream ??= open(chunk);
      // Errors are reported by `ended`, with their real cause.
      const written = new Promise<void>((resolve) =>
        stream!.write(chunk, (error) => (error ? undefined : resolve())),
      );
      return Promise.race([written, ended!]);
    },
    end() {
      stream?.end();
      return ended;
    },
    close: () => void stream?.destroy(),
  };
}

function ownError(error: Error & { readonly code?: unknown }): Error {
  if (error instanceof BodyError || error instanceof EnoughError) return error;
  if (error.code === "Z_BUF_ERROR")
    return new BodyError("reset", "the connection ended within the packed body", { cause: error });
  return new BodyError("bad_content", `cannot be unpacked: ${error.message}`, { cause: error });
}

function streamFor(
  packing: Packing,
  { first, canLackEnd }: { readonly first: Uint8Array; readonly canLackEnd: boolean },
): Transform {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
  const options = canLackEnd ? { finishFlush: Z_SYNC_FLUSH } : {};
  switch (packing) {
    case "gzip":
      return createGunzip(options);
    case "br":
      return createBrotliDecompress(canLackEnd ? { finishFlush: BROTLI_OPERATION_FLUSH } : {});
    case "deflate":
      // The standard is zlib's format; some servers omit its two header bytes.
      return (first[0]! & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
  }
}
