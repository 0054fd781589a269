import type { LogEntry, Queue } from "../../queue/index.ts";

const minuteMs = 60_000;
const stepsMax = 120;
const pageSize = 1_000;
/** More would take longer than a person waits for a picture. */
const entriesMax = 20_000;

/** Finished tasks by time, from the log of the queue: there is no other counter to keep. */
export async function readThroughput(queue: Queue, minutes: number) {
  const [{ ms: nowMs }, stats] = await Promise.all([queue.now(), queue.stats()]);
  const stepMinutes = Math.ceil(minutes / stepsMax);
  const stepMs = stepMinutes * minuteMs;
  const steps = Math.ceil(minutes / stepMinutes);
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const startMs = endMs - steps * stepMs;
  const done = Array.from({ length: steps }, () => 0);
  const failed = Array.from({ length: steps }, () => 0);
  const isComplete = await eachFinished(queue, startMs, ({ state, finishedAtMs }) => {
    const step = Math.min(steps - 1, Math.floor((finishedAtMs - startMs) / stepMs));
    const counts = state === "failed" ? failed : done;
    counts[step] = counts[step]! + 1;
  });
  const perMinute = (counts: readonly number[]) => counts.map((one) => one / stepMinutes);
  const left = stats.states.pending + stats.states.running;
  return {
    times: done.map((_, step) => (startMs + step * stepMs) / 1_000),
    done: perMinute(done),
    failed: perMinute(failed),
    isComplete,
    left,
    leftMinutes: timeLeft(left, perMinute(done)),
  };
}

/** Whether all that finished since then were visited. The newest come first. */
async function eachFinished(
  queue: Queue,
  startMs: number,
  visit: (entry: LogEntry) => void,
): Promise<boolean> {
  let last: LogEntry | undefined;
  for (let seen = 0; seen < entriesMax; seen += pageSize) {
    const page = await queue.log({
      isNewestFirst: true,
      limit: pageSize,
      ...(last && { after: last }),
    });
    for (const entry of page) {
      if (entry.finishedAtMs < startMs) return true;
      visit(entry);
    }
    last = page.at(-1);
    if (page.length < pageSize) return true;
  }
  return false;
}

const recentSteps = 10;

/** At the pace of the last steps: the range is that of their better and their worse half. */
function timeLeft(left: number, perMinute: readonly number[]): [number, number] | null {
  // The last step is not over, so it counts too little.
  const recent = perMinute.slice(-recentSteps - 1, -1).toSorted((a, b) => a - b);
  const half = Math.ceil(recent.length / 2);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  const [slow, fast] = [mean(recent.slice(0, half)), mean(recent.slice(-half))];
  if (left === 0 || fast === 0) return null;
  const overall = mean(recent);
  return [left / fast, left / (slow > 0 ? slow : overall)];
}
