import { appendFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { readRegularFileSync } from "./regular-file.ts";

/**
 * The last log lines of the processes of a data folder, so that they can be read when a process is
 * gone, or from elsewhere. Each process has a file of its own, and one before that: no locks, and
 * what is kept is bounded however long a process runs and however often it is started.
 */
export interface KeptLogOptions {
  readonly folder: string;
  /** Unlike that of any other process that runs. */
  readonly name: string;
  readonly fileBytesMax?: number;
}

const fileBytesMaxDefault = 128 * 1024;
const filesMax = 40;

/**
 * Takes lines of JSON as the logger writes them. Written before the call returns: the last words
 * of a process that dies are the ones that matter. Where nothing can be written, nothing is kept.
 */
export function openKeptLog(options: KeptLogOptions): { write(line: string): void } {
  const { folder, name, fileBytesMax = fileBytesMaxDefault } = options;
  const file = join(folder, `${name}.jsonl`);
  let bytes: number | undefined;
  return {
    write(line) {
      try {
        if (bytes === undefined) {
          makeFolder(folder, { mode: 0o700 });
          removeOldest(folder);
          bytes = sizeOf(file);
        }
        if (bytes > fileBytesMax) {
          renameSync(file, join(folder, `${name}.before.jsonl`));
          bytes = 0;
        }
        appendFileSync(file, line, { mode: 0o600 });
        bytes += Buffer.byteLength(line);
      } catch {
        // A full disk must not end the work; the line went to stderr too.
      }
    },
  };
}

/** The newest lines of all processes, oldest first. */
export function readKeptLog(folder: string, { linesMax }: { readonly linesMax: number }): string[] {
  const lines = namesIn(folder).flatMap((name) => readLines(join(folder, name)));
  return lines
    .map((line) => ({ line, time: timeOf(line) }))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    .slice(-linesMax)
    .map(({ line }) => line);
}

/** Equal while nobody has written: cheap to ask. */
export const keptLogMark = (folder: string): string =>
  namesIn(folder)
    .map((name) => `${name} ${sizeOf(join(folder, name))}`)
    .join(" ");

/** What a crash left of a line in the middle of being written is none. */
function readLines(file: string): readonly string[] {
  try {
    return String(readRegularFileSync(file) ?? "")
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"));
  } catch {
    return []; // moved in between
  }
}

const timeOf = (line: string) => /"time":"([^"]{24})"/.exec(line)?.[1] ?? "";

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  } catch {
    return []; // nobody has written yet
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function removeOldest(folder: string): void {
  const aged = namesIn(folder)
    .map((name) => {
      const file = join(folder, name);
      return { file, atMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
    })
    .sort((a, b) => b.atMs - a.atMs);
  for (const { file } of aged.slice(filesMax - 1)) rmSync(file, { force: true });
}
