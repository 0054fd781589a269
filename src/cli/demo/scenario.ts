import type { Queue, TaskInput } from "../../queue/index.ts";

/** The payloads of the demo, by kind. A visit is a sleep: nothing leaves the machine. */
export type DemoKinds = {
  readonly visit: {
    readonly takesMs: number;
    /** How many attempts end badly before one goes well. */
    readonly failures: number;
  };
};

/** Short, so that a killed worker's tasks are taken over while you watch. */
export const leaseMs = 1_500;
export const slotsPerWorker = 4;
export const sizeMin = 40;
export const urgentPriority = 900;

export interface Host {
  readonly name: string;
  readonly delayMs: number;
  readonly limit: number;
}

/** Made-up sites: the names are reserved and lead nowhere. */
export const hosts: readonly Host[] = [
  { name: "a.example", delayMs: 200, limit: 1 },
  { name: "b.example", delayMs: 120, limit: 1 },
  { name: "c.example", delayMs: 0, limit: 1 },
  { name: "d.example", delayMs: 0, limit: 3 },
];
export const cappedJob = { name: "reports", concurrency: 2 };
export const pausedJob = "archive";
const freeJob = "towns";
export const jobNames = [freeJob, cappedJob.name, pausedJob];

/** Whoever visits this page first is killed meanwhile, so the visit is a long one. */
export const fatalPage = "slow-1";

/** Something of everything, in about `size` tasks. */
export function planTasks(size: number): readonly TaskInput<DemoKinds>[] {
  const share = (part: number, min: number, max: number) =>
    Math.min(max, Math.max(min, Math.round(size * part)));
  const counts = {
    a: share(0.13, 8, 16),
    b: share(0.17, 8, 24),
    c: share(0.15, 6, Infinity),
    d: share(0.15, 6, Infinity),
    reports: share(0.15, 6, 60),
    archive: share(0.1, 4, 400),
  };
  const rest = Math.max(3, size - Object.values(counts).reduce((sum, count) => sum + count, 0));
  return [
    ...pages(6, { gate: "a.example", takesMs: 60 }),
    ...pages(1, { gate: "a.example", takesMs: 600, prefix: "slow" }),
    ...pages(counts.a - 7, { gate: "a.example", takesMs: 60, prefix: "more" }),
    ...pages(counts.b - 3, { gate: "b.example", takesMs: 40 }),
    ...pages(3, { gate: "b.example", takesMs: 40, prefix: "urgent", priority: urgentPriority }),
    ...pages(counts.c - 4, { gate: "c.example", takesMs: 10 }),
    ...pages(4, { gate: "c.example", takesMs: 10, prefix: "flaky", failures: 1 }),
    ...pages(counts.d - 1, { gate: "d.example", takesMs: 30 }),
    ...pages(1, { gate: "d.example", takesMs: 10, prefix: "gone", failures: 99 }),
    ...pages(counts.reports, { job: cappedJob.name, takesMs: 50 }),
    ...pages(counts.archive, { job: pausedJob, takesMs: 10 }),
    ...pages(rest - 3, { takesMs: 10 }),
    ...pages(1, { takesMs: leaseMs + 500, prefix: "long" }),
    ...pages(2, { takesMs: 10, prefix: "later", delayMs: 2_500 }),
  ];
}

interface Pages {
  readonly takesMs: number;
  readonly failures?: number;
  readonly prefix?: string;
  readonly job?: string;
  readonly gate?: string;
  readonly priority?: number;
  readonly delayMs?: number;
}

function pages(count: number, options: Pages): readonly TaskInput<DemoKinds>[] {
  const { takesMs, failures = 0, prefix = "page", job = freeJob, ...more } = options;
  return Array.from({ length: count }, (_, index) => ({
    kind: "visit",
    key: `${prefix}-${index + 1}`,
    payload: { takesMs, failures },
    job,
    attemptsMax: 3,
    ...more,
  }));
}

/** Fills the queue before any worker starts, so that what comes first is the queue's choice. */
export async function fillQueue(
  queue: Queue<DemoKinds>,
  tasks: readonly TaskInput<DemoKinds>[],
): Promise<void> {
  for (const { name, delayMs, limit } of hosts) await queue.setGate(name, { delayMs, limit });
  await queue.openJob(freeJob);
  await queue.openJob(cappedJob.name, { concurrency: cappedJob.concurrency });
  await queue.openJob(pausedJob);
  await queue.pause(pausedJob);
  for (let at = 0; at < tasks.length; at += 5_000) await queue.add(tasks.slice(at, at + 5_000));
  for (const job of jobNames) await queue.seal(job);
}
