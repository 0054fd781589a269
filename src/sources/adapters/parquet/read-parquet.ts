import { fork } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../base/app-error.ts";
import { programFile } from "../../../base/files/package-files.ts";
import type { Box } from "../../grid.ts";
import { pointOfWkb } from "../../read/geometry.ts";
import type { FileRecord } from "../../read/read-place-file.ts";
import { readRow, type ReadPlace } from "../../read/read-place.ts";
import type { ChunkInfo, ParquetAnswer, ParquetRequest } from "./parquet-request.ts";

export interface ReadParquetOptions {
  readonly file: string;
  readonly boxes?: readonly Box[];
  readonly minConfidence?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the peak memory of the process. */
  readonly onEnd?: (rssBytes: number) => void;
}

const memoryMb = 200;
const heapMb = 96;

/**
 * Overture contains many wrong entries; below this confidence the place probably does not exist.
 */
export const minConfidenceDefault = 0.5;

/**
 * Reads Parquet files in a child process, which starts with the first request and answers one
 * request at a time. Close the reader, because the process lives until then.
 */
export interface ParquetReader extends AsyncDisposable {
  /**
   * Places of a file in the format of Overture or Foursquare, or with a name and a point; in
   * batches. Yields all of them or throws: if the process ends without an end message, it has not
   * read everything.
   */
  places(options: ReadParquetOptions): AsyncGenerator<readonly FileRecord[]>;
  /**
   * The positions of the columns of a file; only its first four bytes and its footer are needed.
   */
  chunks(file: string, signal?: AbortSignal): Promise<readonly ChunkInfo[]>;
}

/** `program` is for tests; default: the program in the package. */
export function openParquetReader({ program }: { readonly program?: string } = {}): ParquetReader {
  let started: ParquetProcess | undefined;
  let last: Promise<void> = Promise.resolve();
  const ask = async function* (
    file: string,
    request: Pick<ParquetRequest, "op" | "boxes" | "minConfidence">,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ParquetAnswer> {
    const before = last;
    let release = () => {};
    last = new Promise((resolve) => (release = resolve));
    let isWhole = false;
    try {
      await before;
      signal?.throwIfAborted();
      started ??= startProcess(program ?? programPath());
      for await (const answer of started.ask(file, request, signal)) {
        isWhole = answer.kind === "end";
        yield answer;
      }
    } finally {
      // The unread rest of an answer must not be taken for the next one, so end the process.
      if (!isWhole) {
        started?.end();
        started = undefined;
      }
      release();
    }
  };
  return {
    async *places({ file, boxes = [], minConfidence = minConfidenceDefault, signal, onEnd }) {
      let line = 0;
      for await (const answer of ask(file, { op: "rows", boxes, minConfidence }, signal)) {
        if (answer.kind === "end") onEnd?.(answer.rssBytes);
        if (answer.kind !== "rows") continue;
        yield answer.rows.map(([json, wkb]) => ({ line: ++line, read: placeOf(json, wkb) }));
      }
    },
    async chunks(file, signal) {
      let found: readonly ChunkInfo[] = [];
      for await (const answer of ask(file, { op: "chunks", boxes: [], minConfidence: 0 }, signal)) {
        if (answer.kind === "chunks") found = answer.chunks;
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      started?.end();
      started = undefined;
    },
  };
}

interface ParquetProcess {
  ask(
    file: string,
    request: Pick<ParquetRequest, "op" | "boxes" | "minConfidence">,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ParquetAnswer>;
  end(): void;
}

function programPath(): string {
  const program = programFile("sources/adapters/parquet/parquet-child");
  return fileURLToPath(program) + (program.href.includes("/src/") ? ".ts" : ".js");
}

function startProcess(path: string): ParquetProcess {
  const typed = path.endsWith(".ts") ? ["--experimental-strip-types", "--no-warnings"] : [];
  const child = fork(path, [], {
    execArgv: [`--max-old-space-size=${heapMb}`, ...typed],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {},
  });
  const waiting: ParquetAnswer[] = [];
  let ended: string | undefined;
  let wake = () => {};
  child.on("message", (answer) => {
    waiting.push(answer as ParquetAnswer);
    wake();
  });
  child.on("error", (error) => {
    ended ??= error.message;
    wake();
  });
  child.on("exit", (code, by) => {
    ended ??= by === null ? `exit code ${code}` : `killed by ${by}`;
    wake();
  });
  return {
    async *ask(file, request, signal) {
      const abort = () => wake();
      signal?.addEventListener("abort", abort);
      try {
        child.send({ ...request, file, folder: dirname(file), memoryMb } satisfies ParquetRequest);
        for (;;) {
          signal?.throwIfAborted();
          const answer = waiting.shift();
          if (!answer) {
            if (ended !== undefined) throw broken(file, `its reader ended early (${ended})`);
            await new Promise<void>((resolve) => (wake = resolve));
            continue;
          }
          if (answer.kind === "failed") throw failed(file, answer);
          yield answer;
          if (answer.kind === "end") return;
          if (answer.kind === "rows") child.send("more");
        }
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    end: () => void child.kill("SIGKILL"),
  };
}

function placeOf(json: string, wkb: string): ReadPlace {
  const row = JSON.parse(json) as Record<string, unknown>;
  const point = wkb === "" ? undefined : pointOfWkb(Buffer.from(wkb, "hex"));
  const read = readRow(point ? { ...row, ...point } : row);
  if (read.kind !== "place") return read;
  const prefix = "fsq_place_id" in row ? "fsq/" : "names" in row ? "overture/" : "";
  return { kind: "place", place: { ...read.place, id: `${prefix}${read.place.id}` } };
}

function failed(
  file: string,
  { code, message }: { readonly code: string; readonly message: string },
): AppError {
  if (code === "duckdb_missing")
    return new AppError("invalid", code, `cannot read places from ${file}: ${message}`);
  return broken(
    file,
    message.split("\n", 1)[0]!,
    code === "places_columns" ? code : "places_parquet",
  );
}

const broken = (file: string, why: string, code = "places_parquet") =>
  new AppError("invalid", code, `cannot read places from ${file}: ${why}`);
