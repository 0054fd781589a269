import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { usageError } from "../../../../base/usage-error.ts";

/** What an import reads from. Reading starts at the beginning each time, if `canReread`. */
export interface ImportSource extends AsyncDisposable {
  /** Unknown for what is not a file. */
  readonly sizeBytes: number | undefined;
  readonly canReread: boolean;
  /** All of it, or its first bytes: what is appended meanwhile was not looked at. */
  read(bytesMax?: number): AsyncIterable<Buffer>;
}

export interface SourceOptions {
  /** `-` is standard input. */
  readonly name: string;
  readonly cwd: string;
  readonly stdin: Readable;
  /** Ends the wait for bytes that do not come. */
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
  // A pipe, such as <(program): its bytes come once.
  const stream = addAbortSignal(signal, handle.createReadStream({ autoClose: false }));
  return ofStream(stream, () => handle.close());
}

/** Keeps what can be read only once in a temporary file. */
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
