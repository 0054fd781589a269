import type { Attempt, Job, Reconciled, Task } from "../../queue/index.ts";
import { cappedJob, hosts, pausedJob, urgentPriority } from "./scenario.ts";
import type { VisitEvent } from "./visit-log.ts";

/** What happened, from two sides: the workers' own logs, and what the queue holds in the end. */
export interface Evidence {
  readonly events: readonly VisitEvent[];
  readonly tasks: readonly Task[];
  readonly jobs: readonly Job[];
  readonly reconciled: Reconciled;
  readonly killed: { readonly worker: string; readonly atMs: number };
  readonly resumedAtMs: number;
}

export interface Verdict {
  readonly done: number;
  readonly completions: { readonly once: number; readonly wrong: readonly string[] };
  readonly hosts: readonly HostVerdict[];
  readonly cap: { readonly job: string; readonly limit: number; readonly atOnceMax: number };
  readonly pausedJobKept: boolean;
  readonly urgentFirst: boolean;
  readonly takenOver: readonly { readonly key: string; readonly by: string }[];
  readonly retried: number;
  readonly deadLetters: readonly {
    readonly key: string;
    readonly gate: string;
    readonly reasons: readonly string[];
  }[];
  readonly jobsCompletedOnce: boolean;
  readonly drift: number;
  /** Everything the queue promises held. */
  readonly isGood: boolean;
}

export interface HostVerdict {
  readonly host: string;
  readonly delayMs: number;
  readonly limit: number;
  readonly visits: number;
  /** Start to start, whichever worker; absent with fewer than two visits. */
  readonly gapMsMin: number | undefined;
  readonly atOnceMax: number;
  readonly isKept: boolean;
}

export function judge(evidence: Evidence): Verdict {
  const { tasks, jobs, events, reconciled } = evidence;
  const done = tasks.filter((task) => task.state === "done");
  const failed = tasks.filter((task) => task.state === "failed");
  const completions = countCompletions(done, events);
  const byHost = hosts.map((host) => judgeHost(host, evidence));
  const capped = visitsOf(evidence).filter(({ job }) => job === cappedJob.name);
  const verdict = {
    done: done.length,
    completions,
    hosts: byHost,
    cap: { job: cappedJob.name, limit: cappedJob.concurrency, atOnceMax: atOnceMax(capped) },
    pausedJobKept: visitsOf(evidence)
      .filter(({ job }) => job === pausedJob)
      .every(({ startMs }) => startMs >= evidence.resumedAtMs),
    urgentFirst: areUrgentFirst(evidence),
    takenOver: takenOver(tasks, events),
    retried: tasks.filter((task) => task.attempts.some(({ outcome }) => outcome === "retry"))
      .length,
    deadLetters: failed.map(({ key, gate, attempts }) => ({
      key,
      gate,
      reasons: attempts.map((attempt: Attempt) => attempt.reason),
    })),
    jobsCompletedOnce: jobs.every((job) => job.ended === "completed" && job.completions === 1),
    drift: reconciled.drift.length + reconciled.orphans,
  };
  return {
    ...verdict,
    isGood:
      done.length + failed.length === tasks.length &&
      completions.wrong.length === 0 &&
      byHost.every(({ isKept }) => isKept) &&
      verdict.cap.atOnceMax <= cappedJob.concurrency &&
      verdict.pausedJobKept &&
      verdict.urgentFirst &&
      verdict.jobsCompletedOnce &&
      verdict.drift === 0,
  };
}

/**
 * A completion is a finish that its worker was told is held. A worker that was killed before it
 * could log the answer leaves only its question; then the lease it names must be the task's last.
 */
function countCompletions(done: readonly Task[], events: readonly VisitEvent[]) {
  const held = new Map<number, number>();
  const asked = new Set<string>();
  for (const event of events) {
    if (event.event === "finishing" && event.outcome === "done") {
      asked.add(`${event.id}/${event.token}`);
    }
    if (event.event === "finished" && event.outcome === "done" && event.status === "held") {
      held.set(event.id, (held.get(event.id) ?? 0) + 1);
    }
  }
  const wrong = done.flatMap(({ id, token, key, gate, job }) => {
    const name = `${key} (${gate || job})`;
    const times = held.get(id) ?? 0;
    if (times > 1) return [`${name} was completed ${times} times`];
    return asked.has(`${id}/${token}`) ? [] : [`${name} is done, but no worker says it did it`];
  });
  const doneIds = new Set(done.map(({ id }) => id));
  for (const id of held.keys()) {
    if (!doneIds.has(id)) wrong.push(`task ${id} was completed, and the queue does not know`);
  }
  return { once: done.length - wrong.length, wrong };
}

interface MadeVisit {
  readonly id: number;
  readonly key: string;
  readonly gate: string;
  readonly job: string;
  readonly startMs: number;
  /** A killed worker's visit ends with the worker. */
  readonly endMs: number;
}

function visitsOf({ events, killed }: Evidence): readonly MadeVisit[] {
  const endMs = new Map<string, number>();
  for (const event of events) {
    if (event.event === "end") endMs.set(`${event.id}/${event.token}`, event.atMs);
  }
  return events.flatMap((event) => {
    if (event.event !== "start") return [];
    const { id, token, key, gate, job, atMs, worker } = event;
    const diedMs = worker === killed.worker ? killed.atMs : Infinity;
    return [{ id, key, gate, job, startMs: atMs, endMs: endMs.get(`${id}/${token}`) ?? diedMs }];
  });
}

function judgeHost(host: (typeof hosts)[number], evidence: Evidence): HostVerdict {
  const visits = visitsOf(evidence).filter(({ gate }) => gate === host.name);
  const gaps = visits.slice(1).map(({ startMs }, index) => startMs - visits[index]!.startMs);
  const gapMsMin = gaps.length > 0 ? Math.min(...gaps) : undefined;
  const most = atOnceMax(visits);
  return {
    host: host.name,
    delayMs: host.delayMs,
    limit: host.limit,
    visits: visits.length,
    gapMsMin,
    atOnceMax: most,
    isKept: (gapMsMin ?? Infinity) >= host.delayMs && most <= host.limit,
  };
}

function atOnceMax(visits: readonly MadeVisit[]): number {
  const moments = visits
    .flatMap(({ startMs, endMs }) => [
      { atMs: startMs, step: 1 },
      { atMs: endMs, step: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.step - b.step);
  let now = 0;
  let most = 0;
  for (const { step } of moments) most = Math.max(most, (now += step));
  return most;
}

/** In each lane that has urgent tasks these start before all others. */
function areUrgentFirst(evidence: Evidence): boolean {
  const urgent = new Set(
    evidence.tasks.filter(({ priority }) => priority === urgentPriority).map(({ id }) => id),
  );
  const lanes = new Set(evidence.tasks.filter(({ id }) => urgent.has(id)).map(({ gate }) => gate));
  const starts = visitsOf(evidence).filter(({ gate }) => lanes.has(gate));
  return starts.slice(0, urgent.size).every(({ id }) => urgent.has(id));
}

/** Tasks whose lease ran out in dead hands, and who brought them to an end. */
function takenOver(tasks: readonly Task[], events: readonly VisitEvent[]) {
  return tasks
    .filter((task) => task.attempts.some(({ outcome }) => outcome === "expired"))
    .map(({ id, key, gate }) => {
      const end = events.findLast((event) => event.id === id && event.event === "finished");
      return { key: `${gate} ${key}`, by: end?.worker ?? "nobody" };
    });
}
