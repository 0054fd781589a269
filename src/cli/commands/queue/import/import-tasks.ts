import { AppError } from "../../../../base/app-error.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Added, AddStatus, Queue, TaskInput } from "../../../../queue/index.ts";
import { readLines } from "../../../../base/files/read-lines.ts";
import { createTaskLineReader, lineBytesMax } from "./read-task-line.ts";

export interface TaskImportReport {
  /** The number of lines with a task, valid or not. */
  readonly lines: number;
  readonly answers: Readonly<Record<AddStatus, number>>;
  /** The number of invalid lines. */
  readonly invalid: number;
  /** The problems of the first invalid lines. */
  readonly problems: readonly TaskImportProblem[];
  readonly bytesRead: number;
  /** All tasks up to this line are stored; 0 if none. */
  readonly lastLine: number;
  readonly isStopped: boolean;
}

export interface TaskImportProblem {
  readonly line: number;
  readonly text: string;
}

export interface TaskImportOptions {
  readonly chunks: AsyncIterable<Buffer>;
  /** Undefined: only check if all lines are valid. */
  readonly queue: Queue | undefined;
  /** If the queue refuses a task, the import ends after that batch. */
  readonly stopsOnError: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onRead: (bytes: number, linesSoFar: number) => void;
}

const batchTasksMax = 5_000;
const batchBytesMax = 8 * 1024 * 1024;
const problemsKeptMax = 20;

/**
 * Adds one task per line. Each batch is one commit, so memory use is bounded, and a batch is stored
 * completely or not at all.
 */
export async function importTasks(options: TaskImportOptions): Promise<TaskImportReport> {
  const { chunks, queue, signal, stopsOnError, onRead } = options;
  const readLine = createTaskLineReader(options);
  const answers: Record<AddStatus, number> = {
    added: 0,
    duplicate: 0,
    over_budget: 0,
    closed: 0,
    full: 0,
  };
  const problems: TaskImportProblem[] = [];
  const count = { lines: 0, invalid: 0, bytesRead: 0, lastLine: 0 };
  const note = (line: number, text: string) => {
    count.invalid += 1;
    if (problems.length < problemsKeptMax) problems.push({ line, text });
  };
  const batch = createBatch();
  const flush = async () => {
    const entries = batch.take();
    const results = queue ? await addAll(queue, entries) : [];
    for (const [index, answer] of results.entries()) {
      if (answer instanceof AppError) note(entries[index]!.line, answer.message);
      else answers[answer.status] += 1;
    }
    count.lastLine = entries.at(-1)?.line ?? count.lastLine;
  };
  const mustStop = () =>
    signal.aborted || (queue !== undefined && stopsOnError && count.invalid > 0);

  try {
    for await (const { lines, bytesRead } of readLines(chunks, lineBytesMax)) {
      count.bytesRead += bytesRead;
      for (const line of lines) {
        const read = readLine(line);
        if (read.kind === "empty") continue;
        count.lines += 1;
        if (read.kind === "wrong") note(line.number, read.text);
        else batch.put({ task: read.task, line: line.number }, line.bytes?.length ?? 0);
        if (batch.isFull()) await flush();
        if (mustStop()) break;
      }
      onRead(bytesRead, count.lines);
      if (mustStop()) break;
    }
  } catch (error) {
    if (!signal.aborted || (error as Error).name !== "AbortError") throw error;
  }
  if (!signal.aborted) await flush();
  return { ...count, answers, problems, isStopped: signal.aborted };
}

interface Entry {
  readonly task: TaskInput;
  readonly line: number;
}

function createBatch() {
  let entries: Entry[] = [];
  let bytes = 0;
  return {
    put(entry: Entry, lineBytes: number): void {
      entries.push(entry);
      bytes += lineBytes;
    },
    isFull: () => entries.length >= batchTasksMax || bytes >= batchBytesMax,
    take(): readonly Entry[] {
      const taken = entries;
      entries = [];
      bytes = 0;
      return taken;
    },
  };
}

/**
 * If the queue refuses one task (for example because its job uses another gate), it refuses the
 * whole batch.
 */
async function addAll(
  queue: Queue,
  entries: readonly Entry[],
): Promise<readonly (Added | AppError)[]> {
  const isRefusal = (error: unknown): error is AppError =>
    error instanceof AppError && error.kind === "invalid";
  try {
    return await queue.add(entries.map(({ task }) => task));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // Add each task separately; calls of one tick still share one commit.
  return Promise.all(
    entries.map(async ({ task }) => {
      try {
        return (await queue.add([task]))[0]!;
      } catch (error) {
        if (isRefusal(error)) return error;
        throw error;
      }
    }),
  );
}
