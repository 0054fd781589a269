import type { Task } from "../task.ts";
import { childOf } from "./race-in-flight.ts";
import type { QueueRaceEvent, TaskRef } from "./race-log.ts";

/** Each check returns a list of what is wrong; the list is empty if nothing is. */
export type Wrong = readonly string[];

/** A worker that is killed before it can log an answer may still have finished its task. */
export function finishedOnce(tasks: readonly Task[], events: readonly QueueRaceEvent[]): Wrong {
  const wrong: string[] = [];
  const keys = new Set(tasks.map(identity));
  for (const task of tasks) {
    const own = events.filter((event) => "id" in event && event.id === task.id);
    const held = own.filter(
      (event) => event.event === "finished" && event.outcome === "done" && event.status === "done",
    );
    const sent = own.some(
      (event) =>
        event.event === "finishing" && event.outcome === "done" && event.token === task.token,
    );
    const name = `task ${task.id} (${task.key})`;
    if (task.state !== "done")
      wrong.push(`${name} ended as ${task.state}, ${describeAttempts(task)}`);
    if (held.length > 1) wrong.push(`${name} was finished ${held.length} times`);
    if (!sent) wrong.push(`${name} is done, but not by the worker that had its last lease`);
    const isChildLost =
      task.key.endsWith("+") && !keys.has(identity({ ...task, key: childOf(task.key) }));
    if (isChildLost) wrong.push(`${name} is done, but the task it added is lost`);
  }
  return wrong;
}

/**
 * Shows whether the queue lost a task that is not done, or whether the task used up its attempts.
 */
const describeAttempts = ({ used, attemptsMax, attempts }: Task) =>
  `${used} of ${attemptsMax} attempts: ${attempts.map(({ reason }) => reason).join(", ")}`;

const identity = ({ job, gate, key }: Pick<Task, "job" | "gate" | "key">) =>
  JSON.stringify([job, gate, key]);

/** Every lease was held by one worker, and no worker worked without a lease. */
export function leasesUnique(events: readonly QueueRaceEvent[]): Wrong {
  const wrong: string[] = [];
  const workers = new Map<string, string>();
  for (const event of events) {
    if (event.event === "start" && workers.get(leaseName(event)) !== event.worker) {
      wrong.push(`${event.worker} started ${leaseName(event)}, which is not its own`);
    }
    if (event.event !== "claimed") continue;
    const worker = workers.get(leaseName(event));
    if (worker) wrong.push(`${leaseName(event)} went to ${worker} and to ${event.worker}`);
    workers.set(leaseName(event), event.worker);
  }
  return wrong;
}

const leaseName = ({ id, token }: Pick<TaskRef, "id" | "token">) => `lease ${id}/${token}`;

interface Work extends TaskRef {
  readonly worker: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** When each task was running: the work of a killed process ends with the process. */
export function worksOf(events: readonly QueueRaceEvent[]): readonly Work[] {
  const deathMs = new Map<string, number>();
  const endMs = new Map<string, number>();
  for (const event of events) {
    if (event.event === "killed") deathMs.set(event.worker, event.atMs);
    if (event.event === "end") endMs.set(leaseName(event), event.atMs);
  }
  return events.flatMap((event) =>
    event.event === "start"
      ? [
          {
            ...event,
            startMs: event.atMs,
            endMs: endMs.get(leaseName(event)) ?? deathMs.get(event.worker) ?? Infinity,
          },
        ]
      : [],
  );
}

/** Never more than `limit` of `works` at once. */
export function withinLimit(what: string, works: readonly Work[], limit: number): Wrong {
  const wrong: string[] = [];
  for (const work of works) {
    const concurrent = works.filter(
      (other) => other.startMs <= work.startMs && other.endMs > work.startMs,
    );
    if (concurrent.length > limit) {
      wrong.push(`${what}: ${concurrent.map(describeWork).join(" at the same time as ")}`);
    }
  }
  return wrong;
}

/** At least `delayMs` between starts, whichever worker started. */
export function apart(what: string, works: readonly Work[], delayMs: number): Wrong {
  const sorted = [...works].sort((a, b) => a.startMs - b.startMs);
  return sorted.flatMap((work, index) => {
    const before = sorted[index - 1];
    if (!before || work.startMs - before.startMs >= delayMs) return [];
    const gapMs = (work.startMs - before.startMs).toFixed(3);
    return [`${what}: ${gapMs} ms from ${describeWork(before)} to ${describeWork(work)}`];
  });
}

/**
 * A task that was claimed before the block may start a moment later, if its process waits for a
 * processor.
 */
export function blocksKept(events: readonly QueueRaceEvent[], works: readonly Work[]): Wrong {
  const sentMs = new Map<string, number>();
  for (const event of events) {
    if (event.event === "claimed") sentMs.set(leaseName(event), event.sentMs);
  }
  return events.flatMap((event) =>
    event.event === "blocked"
      ? works
          .filter((work) => work.gate === event.gate && sentMs.get(leaseName(work))! > event.atMs)
          .filter(({ startMs }) => startMs < event.untilMs)
          .map((work) => `gate ${event.gate} was blocked when ${describeWork(work)} started`)
      : [],
  );
}

const describeWork = ({ id, token, worker, startMs, endMs }: Work) =>
  `${id}/${token} of ${worker} (${startMs.toFixed(3)}–${endMs.toFixed(3)})`;
