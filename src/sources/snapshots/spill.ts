import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/**
 * Lines by tile, with a bounded part in memory: the rest is in one file, in runs, and each tile
 * knows where its runs are. So a file of any length is cut with the same memory. Lines in memory
 * are bytes of one buffer, because millions of strings would keep the garbage collector busy.
 */
export interface TileSpill extends AsyncDisposable {
  add(tile: string, line: string): void;
  /** Await it now and then while adding lines. */
  settle(): Promise<void>;
  tiles(): readonly string[];
  /** The size of a tile's lines in bytes. */
  sizeOf(tile: string): number;
  /** All lines of a tile, in the order they were added. */
  linesOf(tile: string): Promise<readonly string[]>;
}

interface Kept {
  /** Pairs of start and end in the buffer. */
  spans: number[];
  size: number;
  readonly runs: { readonly start: number; readonly bytes: number }[];
}

const lineFeed = 0x0a;
/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const unitBytesMax = 3;

export function createSpill(folder: string, bytesMax = 48 * 2 ** 20): TileSpill {
  const kept = new Map<string, Kept>();
  let buffer: Buffer = Buffer.alloc(0);
  let used = 0;
  let file: { readonly handle: FileHandle; readonly folder: string } | undefined;
  let end = 0;
  const opened = async () => {
    if (file) return file;
    const own = await mkdtemp(join(folder, "forager-places-"));
    file = { handle: await open(join(own, "lines"), "wx+", 0o600), folder: own };
    // The open file stays usable without a name, and a killed process leaves nothing behind. A file
    // system that cannot do that keeps the name until the end.
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
    return file;
  };
  const makeRoom = (bytes: number) => {
    if (used + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes + used, 2 * buffer.length, 2 ** 20));
    buffer.copy(larger, 0, 0, used);
    buffer = larger;
  };
  return {
    add(tile, line) {
      makeRoom(line.length * unitBytesMax + 1);
      const start = used;
      used += buffer.write(line, used);
      buffer[used++] = lineFeed;
      const one = kept.get(tile) ?? { spans: [], size: 0, runs: [] };
      if (one.size === 0) kept.set(tile, one);
      one.spans.push(start, used);
      one.size += used - start;
    },
    async settle() {
      if (used < bytesMax) return;
      const { handle } = await opened();
      const sorted = Buffer.allocUnsafe(used);
      let at = 0;
      for (const one of kept.values()) {
        if (one.spans.length === 0) continue;
        const from = at;
        at = copySpans(buffer, one.spans, sorted, at);
        one.runs.push({ start: end + from, bytes: at - from });
        one.spans = [];
      }
      await handle.write(sorted, 0, at, end);
      end += at;
      used = 0;
    },
    tiles: () => [...kept.keys()],
    sizeOf: (tile) => kept.get(tile)?.size ?? 0,
    async linesOf(tile) {
      const { runs = [], spans = [], size = 0 } = kept.get(tile) ?? {};
      if (size === 0) return [];
      const all = Buffer.allocUnsafe(size);
      let at = 0;
      for (const { start, bytes } of runs) {
        await file!.handle.read(all, at, bytes, start);
        at += bytes;
      }
      copySpans(buffer, spans, all, at);
      return all.toString("utf8", 0, size - 1).split("\n");
    },
    async [Symbol.asyncDispose]() {
      await file?.handle.close();
      if (file) await rm(file.folder, { recursive: true, force: true });
    },
  };
}

function copySpans(from: Buffer, spans: readonly number[], to: Buffer, start: number): number {
  let at = start;
  for (let index = 0; index < spans.length; index += 2) {
    at += from.copy(to, at, spans[index], spans[index + 1]);
  }
  return at;
}
