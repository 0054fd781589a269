import type { Task } from "../task.ts";
import { childOf } from "./race-in-flight.ts";
import type { QueueRaceEvent, TaskRef } from "./race-log.ts";

/** Each check lists what it found wrong, in words; nothing wrong is an empty list. */
export type Wrong = readonly string[];

/** A worker that is killed before it can log an answer has still finished its task. */
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
    if (!sent) wrong.push(`${name} is done, but not by the holder of its last lease`);
    const isChildLost =
      task.key.endsWith("+") && !keys.has(identity({ ...task, key: childOf(task.key) }));
    if (isChildLost) wrong.push(`${name} is done, but the task it added is lost`);
  }
  return wrong;
}

/** Whether a task that is not done was let down by the queue, or used up what it was given. */
const describeAttempts = ({ used, attemptsMax, attempts }: Task) =>
  `${used} of ${attemptsMax} attempts: ${attempts.map(({ reason }) => reason).join(", ")}`;

const identity = ({ job, gate, key }: Pick<Task, "job" | "gate" | "key">) =>
  JSON.stringify([job, gate, key]);

/** Every lease was held by one worker, and nobody worked without one. */
export function leasesUnique(events: readonly QueueRaceEvent[]): Wrong {
  const wrong: string[] = [];
  const holders = new Map<string, string>();
  for (const event of events) {
    if (event.event === "start" && holders.get(leaseName(event)) !== event.worker) {
      wrong.push(`${event.worker} started ${leaseName(event)}, which is not its own`);
    }
    if (event.event !== "claimed") continue;
    const holder = holders.get(leaseName(event));
    if (holder) wrong.push(`${leaseName(event)} went to ${holder} and to ${event.worker}`);
    holders.set(leaseName(event), event.worker);
  }
  return wrong;
}

const leaseName = ({ id, token }: Pick<TaskRef, "id" | "token">) => `lease ${id}/${token}`;

interface Work extends TaskRef {
  readonly worker: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What was at work when: a killed process's work ends with the process. */
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
    const beside = works.filter(
      (other) => other.startMs <= work.startMs && other.endMs > work.startMs,
    );
    if (beside.length > limit) {
      wrong.push(`${what}: ${beside.map(describeWork).join(" beside ")}`);
    }
  }
  return wrong;
}

/** Start to start at least `delayMs`, whoever started. */
export function apart(what: string, works: readonly Work[], delayMs: number): Wrong {
  const sorted = [...works].sort((a, b) => a.startMs - b.startMs);
  return sorted.flatMap((work, index) => {
    const before = sorted[index - 1];
    if (!before || work.startMs - before.startMs >= delayMs) return [];
    const gapMs = (work.startMs - before.startMs).toFixed(3);
    return [`${what}: ${gapMs} ms from ${describeWork(before)} to ${describeWork(work)}`];
  });
}

/** What was claimed before may start a moment later: a process that waits for its processor. */
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
