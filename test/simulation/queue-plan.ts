import type { Random } from "../../src/base/random.ts";
import type { NewTask, Operation } from "../../src/queue/index.ts";

/**
 * What the fleet of one seed is to do. Worlds are small on purpose: a thousand small ones meet
 * more different moments than ten large ones.
 */
export interface QueuePlan {
  readonly nodes: readonly string[];
  readonly shards: number;
  readonly chaosMs: number;
  readonly leaseMs: number;
  /** Finished tasks a head may hold before they go to a log. */
  readonly finishedTasksMax: number;
  /** What each of the nodes adds when it starts. Two may add the same. */
  readonly adds: ReadonlyMap<string, readonly NewTask[]>;
}

/** With a delay or a limit of one a gate is owned by one worker at a time. */
export const gates = {
  one: { delayMs: 0, limit: 1 },
  slow: { delayMs: 2_500, limit: 1 },
  pair: { delayMs: 900, limit: 2 },
  many: { delayMs: 0, limit: 3 },
} as const;
export const isGate = (name: string): name is keyof typeof gates => name in gates;

/** Most at work at once; jobs with a cap that no gate binds need a queue of one shard. */
export const caps: Readonly<Record<string, number>> = { capped: 2, site: 1 };

export const kinds = ["visit"] as const;
export const siteGate = "slow";

export function rollPlan(random: Random): QueuePlan {
  // Most fleets are small; one in sixty is large.
  const size = random.below(60) === 0 ? 6 + random.below(15) : 2 + random.below(2);
  const nodes = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const shards = random.below(4) === 0 ? 2 + random.below(2) : 1;
  const tasks = Array.from({ length: 3 + random.below(6) }, (_, index) =>
    rollTask(random, `t${index}`, shards),
  );
  return {
    nodes,
    shards,
    chaosMs: 6_000 + random.below(12_000),
    leaseMs: 6_000 + random.below(4_000),
    finishedTasksMax: 1 + random.below(2),
    adds: new Map(nodes.map((node) => [node, tasks.filter(() => random.next() < 0.6)])),
  };
}

export function rollTask(random: Random, key: string, shards: number): NewTask {
  const job = ["free", "free", "doomed", "site", shards === 1 ? "capped" : "free"][
    random.below(5)
  ]!;
  const gate = ["", "", "one", "pair", "many"][random.below(5)]!;
  return {
    kind: kinds[0],
    job,
    gate: job === "site" ? siteGate : gate,
    key,
    payload: "null",
    priority: 500 + 100 * random.below(3),
    dueAtMs: 0,
    attemptsMax: random.below(4) === 0 ? 3 : 100,
  };
}

/** What every life begins with, one commit after the other: all of it may be repeated. */
export function preludeOf({ shards, adds }: QueuePlan, node: string): readonly Operation[][] {
  const setGates = Object.entries(gates).map(([gate, settings]): Operation => ({
    op: "setGate",
    gate,
    ...settings,
  }));
  const openJobs: readonly Operation[] = [
    { op: "openJob", job: "free", concurrency: null, budget: null, gate: "" },
    { op: "openJob", job: "doomed", concurrency: null, budget: null, gate: "" },
    { op: "openJob", job: "site", concurrency: caps["site"]!, budget: 4, gate: siteGate },
    ...(shards === 1
      ? [
          {
            op: "openJob",
            job: "capped",
            concurrency: caps["capped"]!,
            budget: null,
            gate: "",
          } as const,
        ]
      : []),
  ];
  return [[...setGates, ...openJobs], [{ op: "add", tasks: adds.get(node) ?? [] }]];
}

/** Something a person, or a rare moment of a worker, asks for. */
export function rollOrder(random: Random): Operation {
  const orders: readonly (() => Operation)[] = [
    () => ({
      op: "block",
      gate: random.below(2) === 0 ? "one" : "many",
      forMs: 1_000 + random.below(5_000),
    }),
    () => ({ op: "pause", job: "free" }),
    () => ({ op: "resume", job: "free" }),
    () => ({ op: "cancel", job: "doomed" }),
    () => ({ op: "seal", job: "site" }),
    () => ({ op: "sweep" }),
    () => ({
      op: "raise",
      raises: [{ job: "free", gate: "", key: `t${random.below(8)}`, priority: 900 }],
    }),
    () => ({ op: "retry", filter: { states: ["failed"] }, rowsMax: 2 }),
    () => ({
      op: "purge",
      filter: { states: ["done"], job: "free" },
      rowsMax: 1,
      keepKeys: random.below(2) === 0,
    }),
    () => ({ op: "forgetKeys", filter: { states: ["done"] }, rowsMax: 1 }),
    () => ({ op: "pruneLog", finishedBeforeMs: Number.MAX_SAFE_INTEGER, rowsMax: 1 }),
  ];
  return orders[random.below(orders.length)]!();
}
