import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { usageError } from "../../../../base/usage-error.ts";

/** The input of an import. If `canReread` is true, each read starts at the beginning. */
export interface ImportSource extends AsyncDisposable {
  /** Undefined if the input is not a file. */
  readonly sizeBytes: number | undefined;
  readonly canReread: boolean;
  /**
   * Reads everything, or the first `bytesMax` bytes: bytes that were appended later have not been
   * checked.
   */
  read(bytesMax?: number): AsyncIterable<Buffer>;
}

export interface SourceOptions {
  /** `-` means standard input. */
  readonly name: string;
  readonly cwd: string;
  readonly stdin: Readable;
  /** Ends a read that waits for bytes. */
  readonly signal: AbortSignal;
}

const chunkBytes = 256 * 1024;

export async function openSource(options: SourceOptions): Promise<ImportSource> {
  const { name, cwd, stdin, signal } = options;
  if (name === "-") return ofStream(addAbortSignal(signal, stdin), async () => {});
  const handle = await open(resolve(cwd, name)).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
    throw usageError(`${name} cannot be read: ${why}`, { cause });
  });
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw usageError(`${name} is a folder: name a file with one JSON object per line`);
  }
  if (stat.isFile()) return ofFile(handle, stat.size);
  // A pipe, such as <(program), can be read only once.
  const stream = addAbortSignal(signal, handle.createReadStream({ autoClose: false }));
  return ofStream(stream, () => handle.close());
}

/** Copies an input that can be read only once to a temporary file. */
export async function spool(source: ImportSource, signal: AbortSignal): Promise<ImportSource> {
  const folder = await mkdtemp(join(tmpdir(), "forager-import-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, "lines");
    await pipeline(source.read(), createWriteStream(file, { mode: 0o600 }), { signal });
    const handle = await open(file);
    const copy = ofFile(handle, (await handle.stat()).size);
    return {
      ...copy,
      async [Symbol.asyncDispose]() {
        await copy[Symbol.asyncDispose]();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function ofFile(handle: FileHandle, sizeBytes: number): ImportSource {
  return {
    sizeBytes,
    canReread: true,
    async *read(bytesMax = Infinity) {
      if (bytesMax === 0) return;
      yield* handle.createReadStream({
        autoClose: false,
        highWaterMark: chunkBytes,
        start: 0,
        end: bytesMax - 1,
      }) as AsyncIterable<Buffer>;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function ofStream(stream: Readable, close: () => Promise<void>): ImportSource {
  return {
    sizeBytes: undefined,
    canReread: false,
    read: () => stream as AsyncIterable<Buffer>,
    [Symbol.asyncDispose]: close,
  };
}
