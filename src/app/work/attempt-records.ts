import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { openKeptLog } from "../../base/log/kept-log.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import type { AttemptRecord, SeenAttempt } from "../../worker/index.ts";

/**
 * What workers of a data folder measured of their attempts: when each one started and how long it
 * ran. The queue does not store that. The cost is bounded: lines are written together once a
 * second, at most `perSecondMax` of them, into files of bounded size. So old records are lost.
 */
export interface AttemptRecords extends Disposable {
  add(attempt: AttemptRecord): void;
}

export interface AttemptRecordsOptions {
  readonly paths: Paths;
  /** The name of the worker process. */
  readonly worker: string;
  readonly pid: number;
  readonly clock: Clock;
}

const writeMs = 1_000;
const fileBytesMax = 1024 * 1024;
/** More attempts in one second are not recorded, unless they have a gate: those are paced. */
const perSecondMax = 200;
/** Even of attempts with a gate. */
const gatedPerSecondMax = 2_000;

export function createAttemptRecords(options: AttemptRecordsOptions): AttemptRecords {
  const { paths, worker, pid, clock } = options;
  const kept = openKeptLog({ folder: paths.attempts(), name: String(pid), fileBytesMax });
  let lines: string[] = [];
  let timer: Timer | undefined;
  const write = () => {
    timer = undefined;
    if (lines.length > 0) kept.write(lines.join(""));
    lines = [];
  };
  return {
    add(attempt) {
      if (lines.length >= (attempt.gate === "" ? perSecondMax : gatedPerSecondMax)) return;
      lines.push(`${JSON.stringify(toLine(attempt, worker))}\n`);
      timer ??= clock.setTimer(writeMs, write, { background: true });
    },
    [Symbol.dispose]() {
      timer?.cancel();
      write();
    },
  };
}

/** `time`, by which lines of several processes are sorted, is when the attempt ended. */
function toLine({ startedAtMs, ranMs, sentMs, ...attempt }: AttemptRecord, worker: string) {
  return {
    time: new Date(startedAtMs + ranMs).toISOString(),
    ...attempt,
    startedAtMs: Math.round(startedAtMs),
    ranMs: Math.round(ranMs),
    ...(sentMs.length > 0 && { sentMs: sentMs.map(Math.round) }),
    worker,
  };
}

type Line = Omit<SeenAttempt, "sentMs" | "node"> & { readonly sentMs?: readonly number[] };

export interface AttemptQuery {
  readonly gate?: string;
  readonly task?: number;
}

/** The matching records in lines that `createAttemptRecords` wrote on that node. */
export function attemptsIn(
  lines: readonly string[],
  { gate, task }: AttemptQuery,
  node: string,
): readonly SeenAttempt[] {
  const marks = [
    ...(gate === undefined ? [] : [`"gate":${JSON.stringify(gate)}`]),
    ...(task === undefined ? [] : [`"task":${task},`]),
  ];
  const some = marks.length === 0 ? lines.slice(-unfilteredMax) : lines;
  return some.flatMap((line) => {
    // Most lines do not match, and looking for a text is much faster than parsing.
    if (!line.endsWith("}") || !marks.every((mark) => line.includes(mark))) return [];
    const { sentMs = [], ...found } = JSON.parse(line) as Line;
    const isMatch = (gate ?? found.gate) === found.gate && (task ?? found.task) === found.task;
    return isMatch ? [{ ...found, sentMs, node }] : [];
  });
}

/** More would take longer to parse than a person waits for a picture. */
const unfilteredMax = 20_000;

/** All lines of this data folder. */
export async function readAttemptLines(paths: Paths): Promise<readonly string[]> {
  const folder = paths.attempts();
  const names = await unlessMissing(() => readdir(folder), []);
  const texts = await Promise.all(
    names
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => unlessMissing(async () => String(await readRegularFile(join(folder, name))), "")), // prettier-ignore
  );
  return texts.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("{"));
}

/** Nothing was recorded yet, or a file was renamed after it was listed. */
async function unlessMissing<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === "ENOENT" || error instanceof AppError) return otherwise;
    throw error;
  }
}
