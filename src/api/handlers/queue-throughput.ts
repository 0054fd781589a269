import type { HistoryPoint } from "../../observe/index.ts";
import type { LogEntry, Queue } from "../../queue/index.ts";

const minuteMs = 60_000;
const stepsMax = 120;
const pageSize = 1_000;
/** Reading more would take too long for a chart. */
const entriesMax = 20_000;

export interface ThroughputOptions {
  readonly minutes: number;
  /** Metrics of this node per minute, for the time before the oldest entry that was read. */
  readonly history: () => Promise<readonly HistoryPoint[]>;
  readonly readMax?: number;
}

/**
 * Counts finished tasks over time, from the log of the queue, which covers all nodes. In a busy
 * queue only the newest entries are read; for the time before them, the counts are those of this
 * node.
 */
export async function readThroughput(queue: Queue, options: ThroughputOptions) {
  const { minutes, history, readMax = entriesMax } = options;
  const [{ ms: nowMs }, stats] = await Promise.all([queue.now(), queue.stats()]);
  const stepMinutes = Math.ceil(minutes / stepsMax);
  const stepMs = stepMinutes * minuteMs;
  const steps = Math.ceil(minutes / stepMinutes);
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const startMs = endMs - steps * stepMs;
  const done = Array.from({ length: steps }, () => 0);
  const failed = Array.from({ length: steps }, () => 0);
  const stepOf = (atMs: number) => Math.min(steps - 1, Math.floor((atMs - startMs) / stepMs));
  const add = (counts: number[], step: number, count: number) => (counts[step] = counts[step]! + count); // prettier-ignore
  const oldestMs = await eachFinished(queue, { startMs, readMax }, ({ state, finishedAtMs }) =>
    add(state === "failed" ? failed : done, stepOf(finishedAtMs), 1),
  );
  if (oldestMs !== undefined) {
    for (const { atMs, values } of await history()) {
      // A step that the log covers partly is left as it is.
      if (atMs < startMs || stepOf(atMs) >= stepOf(oldestMs)) continue;
      add(done, stepOf(atMs), values["tasksDone"] ?? 0);
      add(failed, stepOf(atMs), values["tasksFailed"] ?? 0);
    }
  }
  const perMinute = (counts: readonly number[]) => counts.map((one) => one / stepMinutes);
  const left = stats.states.pending + stats.states.running;
  return {
    times: done.map((_, step) => (startMs + step * stepMs) / 1_000),
    done: perMinute(done),
    failed: perMinute(failed),
    isComplete: oldestMs === undefined,
    left,
    leftMinutes: timeLeft(left, perMinute(done)),
  };
}

/**
 * Visits entries that finished since then, newest first. Returns the time of the oldest one read;
 * undefined if all were read.
 */
async function eachFinished(
  queue: Queue,
  { startMs, readMax }: { readonly startMs: number; readonly readMax: number },
  visit: (entry: LogEntry) => void,
): Promise<number | undefined> {
  let last: LogEntry | undefined;
  for (let seen = 0; seen < readMax; seen += pageSize) {
    const limit = Math.min(pageSize, readMax - seen);
    const page = await queue.log({ isNewestFirst: true, limit, ...(last && { after: last }) });
    for (const entry of page) {
      if (entry.finishedAtMs < startMs) return undefined;
      visit(entry);
    }
    last = page.at(-1);
    if (page.length < limit) return undefined;
  }
  return last?.finishedAtMs;
}

const recentSteps = 10;

/**
 * Extrapolates the rate of the last steps: the range comes from their faster and their slower half.
 */
function timeLeft(left: number, perMinute: readonly number[]): [number, number] | null {
  // The last step is not complete, so its count is too low.
  const recent = perMinute.slice(-recentSteps - 1, -1).toSorted((a, b) => a - b);
  const half = Math.ceil(recent.length / 2);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  const [slow, fast] = [mean(recent.slice(0, half)), mean(recent.slice(-half))];
  if (left === 0 || fast === 0) return null;
  const overall = mean(recent);
  return [left / fast, left / (slow > 0 ? slow : overall)];
}
