import { appendFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { readRegularFileSync } from "../files/regular-file.ts";

/**
 * Keeps the last log lines of all processes of a data folder, so that they can be read after a
 * process has ended, or by another process. Each process writes its own file and keeps one older
 * file. So no locks are needed, and the size on disk is bounded.
 */
export interface KeptLogOptions {
  readonly folder: string;
  /** Unique among the running processes. */
  readonly name: string;
  readonly fileBytesMax?: number;
}

const fileBytesMaxDefault = 128 * 1024;
const filesMax = 40;

/**
 * Accepts the lines of JSON that the logger writes. Each line is written before the call returns,
 * because the last lines of a crashing process matter most. If the folder cannot be written,
 * nothing is kept.
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
        // A full disk must not stop the process; the line was written to stderr too.
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

/** A value that changes when a process writes a line; cheap to compute. */
export const keptLogMark = (folder: string): string =>
  namesIn(folder)
    .map((name) => `${name} ${sizeOf(join(folder, name))}`)
    .join(" ");

/** Ignores an incomplete line that a crash left. */
function readLines(file: string): readonly string[] {
  try {
    return String(readRegularFileSync(file) ?? "")
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"));
  } catch {
    return []; // renamed after it was listed
  }
}

const timeOf = (line: string) => /"time":"([^"]{24})"/.exec(line)?.[1] ?? "";

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .sort();
  } catch {
    return []; // nothing has been written yet
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
