import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/**
 * Lines by tile, with a bounded part in memory: the rest is in one file, in runs, and each tile
 * knows where its runs are. So a file of any length is cut with the same memory.
 */
export interface TileSpill extends AsyncDisposable {
  add(tile: string, line: string): void;
  /** Await it now and then while adding lines. */
  settle(): Promise<void>;
  tiles(): readonly string[];
  /** All lines of a tile, in the order they were added. */
  linesOf(tile: string): Promise<readonly string[]>;
}

interface Kept {
  lines: string[];
  readonly runs: { readonly start: number; readonly bytes: number }[];
}

export function createSpill(folder: string, charsMax = 48 * 2 ** 20): TileSpill {
  const kept = new Map<string, Kept>();
  let chars = 0;
  let file: { readonly handle: FileHandle; readonly folder: string } | undefined;
  let end = 0;
  const opened = async () => {
    if (file) return file;
    const own = await mkdtemp(join(folder, "forager-places-"));
    file = { handle: await open(join(own, "lines"), "wx+", 0o600), folder: own };
    return file;
  };
  return {
    add(tile, line) {
      const known = kept.get(tile);
      if (known) known.lines.push(line);
      else kept.set(tile, { lines: [line], runs: [] });
      chars += line.length + 1;
    },
    async settle() {
      if (chars < charsMax) return;
      const { handle } = await opened();
      for (const one of kept.values()) {
        if (one.lines.length === 0) continue;
        const bytes = Buffer.from(`${one.lines.join("\n")}\n`);
        await handle.write(bytes, 0, bytes.length, end);
        one.runs.push({ start: end, bytes: bytes.length });
        end += bytes.length;
        one.lines = [];
      }
      chars = 0;
    },
    tiles: () => [...kept.keys()],
    async linesOf(tile) {
      const { runs = [], lines = [] } = kept.get(tile) ?? {};
      const texts: string[] = [];
      for (const { start, bytes } of runs) {
        const buffer = Buffer.alloc(bytes);
        await file!.handle.read(buffer, 0, bytes, start);
        texts.push(buffer.toString("utf8"));
      }
      const before = texts.length === 0 ? [] : texts.join("").trimEnd().split("\n");
      return [...before, ...lines];
    },
    async [Symbol.asyncDispose]() {
      await file?.handle.close();
      if (file) await rm(file.folder, { recursive: true, force: true });
    },
  };
}
