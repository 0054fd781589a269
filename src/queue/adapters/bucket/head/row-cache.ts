import { AppError } from "../../../../base/app-error.ts";
import type { Task } from "../../../task.ts";
import { readRow, writeRow, type HeadTaskRow } from "./task-row.ts";

/**
 * The tasks of a shard as lines of text. Most tasks do not change between two heads: these are not
 * encoded or parsed again, and stay the same objects.
 */
export interface RowCache {
  linesOf(tasks: ReadonlyMap<number, Task>): readonly string[];
  /** The lines in a range of a head's text. */
  read(text: string, range: TextRange, key: string): RowsRead;
}

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export interface RowsRead {
  readonly tasks: ReadonlyMap<number, Task>;
  readonly idsByIdentity: ReadonlyMap<string, number>;
}

type RowsById = ReadonlyMap<number, HeadTaskRow>;

export function createRowCache(): RowCache {
  /** The rows of the last two heads that were written; the last one may have been refused. */
  let written: RowsById = new Map();
  let before: RowsById = new Map();

  return {
    linesOf(tasks) {
      const rows = new Map<number, HeadTaskRow>();
      const lines: string[] = [];
      for (const [id, task] of tasks) {
        let row = written.get(id);
        if (row?.task !== task) row = before.get(id);
        if (row?.task !== task) row = writeRow(task, written.get(id));
        rows.set(id, row);
        lines.push(row.line);
      }
      before = written;
      written = rows;
      return lines;
    },

    read(text, { from, to }, key) {
      const rows = new Map<number, HeadTaskRow>();
      const tasks = new Map<number, Task>();
      const idsByIdentity = new Map<string, number>();
      for (let at = from; at < to;) {
        const id = idAt(text, at);
        const last = written.get(id);
        const row =
          knownAt(text, at, last) ??
          knownAt(text, at, before.get(id)) ??
          parseAt(text, at, { key, before: last });
        const { task, line, identity } = row;
        rows.set(task.id, row);
        tasks.set(task.id, task);
        idsByIdentity.set(identity, task.id);
        at += line.length + (text[at + line.length] === "," ? 2 : 1);
      }
      before = rows;
      written = rows;
      return { tasks, idsByIdentity };
    },
  };
}

const [zero, nine] = ["0".charCodeAt(0), "9".charCodeAt(0)];

/** A line is `[ID,…]`. */
function idAt(text: string, at: number): number {
  let id = 0;
  for (let place = at + 1; ; place++) {
    const digit = text.charCodeAt(place);
    if (!(digit >= zero && digit <= nine)) return id;
    id = id * 10 + digit - zero;
  }
}

/** No line is the beginning of another, because each is a complete array. */
const knownAt = (text: string, at: number, row: HeadTaskRow | undefined): HeadTaskRow | undefined =>
  row && text.startsWith(row.line, at) ? row : undefined;

function parseAt(
  text: string,
  at: number,
  { key, before }: { readonly key: string; readonly before: HeadTaskRow | undefined },
): HeadTaskRow {
  const end = text.indexOf("\n", at);
  try {
    return readRow(text.slice(at, text[end - 1] === "," ? end - 1 : end), before);
  } catch (cause) {
    throw corruptShard(key, cause);
  }
}

export const corruptShard = (key: string, cause?: unknown) =>
  new AppError(
    "corrupt",
    "queue_shard_corrupt",
    `${key} is not a shard of a queue: something else wrote to this bucket, or it was damaged. ` +
      `Nothing was changed. Put back an older version of the object, if the store keeps them`,
    { cause },
  );
