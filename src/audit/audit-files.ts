import fs from "node:fs/promises";
import { auditEntrySchema, type AuditEntry } from "./audit-entry.ts";

/** Names of the files of an audit log, oldest first. */
export async function auditFiles(folder: string): Promise<readonly string[]> {
  const names = await fs.readdir(folder).catch(() => []);
  return names.filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name)).toSorted();
}

const chunkBytes = 1024 * 1024;
/** The lines that we write are far shorter; a longer line was not written by us. */
const lineBytesMax = 64 * 1024;

/** Yields the lines from the last to the first, with the offset at which each begins. */
export async function* linesBackwards(path: string, endMax: number) {
  const file = await fs.open(path, "r");
  try {
    let end = Math.min((await file.stat()).size, endMax);
    /** The start of a line whose rest is in the previous chunk. */
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const start = Math.max(0, end - chunkBytes);
      const chunk = Buffer.alloc(end - start);
      await file.read(chunk, 0, chunk.length, start);
      const bytes = Buffer.concat([chunk, rest]);
      let to = bytes.length;
      for (
        let at = bytes.lastIndexOf(10, to - 1);
        at !== -1;
        at = at === 0 ? -1 : bytes.lastIndexOf(10, at - 1)
      ) {
        yield { line: bytes.toString("utf8", at + 1, to), offset: start + at + 1 };
        to = at;
      }
      rest = to > lineBytesMax ? Buffer.alloc(0) : bytes.subarray(0, to);
      end = start;
    }
    yield { line: rest.toString(), offset: 0 };
  } finally {
    await file.close();
  }
}

export function parseLine(line: string): AuditEntry | undefined {
  try {
    return auditEntrySchema.parse(JSON.parse(line));
  } catch {
    return undefined; // a crash cut it off
  }
}
