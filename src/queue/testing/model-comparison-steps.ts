import fc from "fast-check";
import type { NewTask, TaskState } from "../task.ts";
import type { BrowseQuery } from "../queue-store.ts";
import type { FinishedFilter, Operation, Outcome } from "../operation.ts";
import { knownTask, leaseHow } from "./model-comparison-resolve.ts";

/**
 * One step of a random history: time passes, perhaps a store is reopened, then one commit.
 *
 * Operations are those of the port. Values that are unknown beforehand are encoded, so that
 * fast-check can shrink them, and `createResolver` replaces them: a lease is { id: which of the
 * leases, token: one of `leaseHow` }, times are relative to now, an empty requestId is a new one,
 * and the key `knownTask(n)` of a raise is the complete identity of the n-th task.
 */
export interface ComparisonStep {
  readonly advanceMs: number;
  /** The wall clock jumps; the store's own clock does not. */
  readonly wallStepMs: number;
  /** The index of the store to use; several stores have the storage open. */
  readonly opener: number;
  readonly reopen: "no" | "closed" | "crashed";
  readonly wants: readonly Want[];
  readonly query: BrowseQuery;
  readonly kinds: readonly string[];
}

/** "again" repeats an earlier operation, as after a lost answer. */
export type Want = Operation | { readonly op: "again"; readonly back: number };

export const openersMax = 2;

// Few values, so that they collide; awkward names, to test quoting, case and wildcards.
const kinds = ["x", "y"] as const;
export const jobNames = ["default", "a", 'b"|', "ç"] as const;
export const gateNames = ["g", "G", "g%'"] as const;
const keys = ["k", "K", "k%", "k_", "kä", ..."123456".split("").map((digit) => `k${digit}`)];
const workers = ["w1", "w2", "w3"] as const;

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const list = <T>(arbitrary: fc.Arbitrary<T>, max: number) =>
  fc.array(arbitrary, { minLength: 1, maxLength: max });

const job = oneOf(...jobNames);
const anyGate = oneOf("", ...gateNames);
const priority = oneOf(500, 0, 400, 500, 800, 1000);
const leaseMs = oneOf(1000, 10, 100, 1000, 5000);
const kindSet = oneOf(["x", "y"], ["x"], ["y"], ["y", "x"], ["z", "x"]);

const newTask: fc.Arbitrary<NewTask> = fc.record({
  kind: oneOf(...kinds),
  // The later jobs get few tasks, so that they complete.
  job: oneOf(...[0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3].map((index) => jobNames[index]!)),
  gate: anyGate,
  key: oneOf(...keys),
  payload: oneOf("null", '{"url":"a%b"}', '{"url":"A_b"}', '"é"'),
  priority,
  dueAtMs: oneOf(0, 0, 0, -40, 5, 40, 1000),
  attemptsMax: oneOf(3, 1, 2, 3, 100),
});

const lease = fc.record({
  id: fc.nat(30),
  token: oneOf(leaseHow.held, leaseHow.held, leaseHow.held, leaseHow.past, leaseHow.wrong),
});

const raiseOne = fc.record({
  job,
  gate: anyGate,
  key: oneOf(...keys, ...Array.from({ length: 24 }, (_, index) => knownTask(index))),
  priority,
});

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: oneOf("done" as const), result: oneOf(null, "1") }) },
  fc.record({ kind: oneOf("skip" as const, "fail" as const), reason: oneOf("no", "né'") }),
  fc.record({
    kind: oneOf("retry" as const),
    delayMs: oneOf(0, 5, 60),
    reason: oneOf("no", "later"),
  }),
  fc.record(
    { kind: oneOf("crash" as const), reason: oneOf("no", "SIGKILL"), attemptsMax: oneOf(1, 2) },
    { requiredKeys: ["kind", "reason"] },
  ),
);

const sinceStartMs = oneOf(0, 1, 20, 5000);
const finish = fc
  .oneof(
    { weight: 4, arbitrary: fc.record({ lease, outcome }) },
    { weight: 4, arbitrary: fc.record({ lease, outcome, sinceStartMs }) },
    fc.record({ lease, outcome, add: list(newTask, 3) }),
    fc.record({ lease, outcome, add: list(newTask, 2), raise: list(raiseOne, 2) }),
  )
  .map(({ lease: { id, token }, ...rest }) => ({
    id,
    token,
    ...rest,
    ...(id % 3 === 1 && { requests: 2 }),
  }));

const release = fc
  .record({ lease, sinceStartMs: oneOf(0, 7) }, { requiredKeys: ["lease"] })
  .map(({ lease: { id, token }, ...rest }) => ({ id, token, ...rest }));

const finishedStates: fc.Arbitrary<FinishedFilter["states"]> = oneOf(
  ["failed"],
  ["done"],
  ["skipped", "failed"],
  ["done", "skipped", "failed"],
  [],
);
const filter: fc.Arbitrary<FinishedFilter> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ states: finishedStates }) },
  fc.record({ states: finishedStates, job }),
  fc.record({ states: finishedStates, kind: oneOf(...kinds), gate: anyGate }),
  fc.record({ states: finishedStates, ids: list(fc.integer({ min: 1, max: 20 }), 9) }),
  fc.record({ states: finishedStates, finishedBeforeMs: oneOf(0, 1, -50) }),
);

const rowsMax = oneOf(5000, 1, 2);

const add = fc.record(
  { op: oneOf("add" as const), tasks: list(newTask, 6), by: lease },
  { requiredKeys: ["op", "tasks"] },
);
const claim = fc.record({
  op: oneOf("claim" as const),
  worker: oneOf(...workers),
  kinds: kindSet,
  limit: oneOf(1, 2, 3, 10),
  burst: oneOf(50, 1, 2, 3),
  leaseMs,
  requestId: oneOf("", "", "", "", "same"),
});

const weighed: readonly (readonly [number, fc.Arbitrary<Want>])[] = [
  [8, add],
  [8, claim],
  [2, fc.record({ op: oneOf("extend" as const), leases: list(lease, 4), leaseMs })],
  [8, fc.record({ op: oneOf("finish" as const), finishes: list(finish, 5) })],
  [2, fc.record({ op: oneOf("release" as const), releases: list(release, 3) })],
  [1, fc.record({ op: oneOf("sweep" as const) })],
  [
    1,
    fc.record({ op: oneOf("block" as const), gate: oneOf(...gateNames), forMs: oneOf(0, 5, 90) }),
  ],
  [
    3,
    fc.record(
      {
        op: oneOf("setGate" as const),
        gate: oneOf(...gateNames),
        delayMs: oneOf(0, 5, 40),
        limit: oneOf(1, 2, 3),
      },
      { requiredKeys: ["op", "gate"] },
    ),
  ],
  [
    3,
    fc.record({
      op: oneOf("openJob" as const),
      job,
      concurrency: oneOf(null, 1, 2, 3),
      budget: oneOf(null, null, null, 3, 8),
      gate: oneOf("", "", "", "", "", gateNames[0]),
    }),
  ],
  [2, fc.record({ op: oneOf("pause" as const, "resume" as const, "seal" as const), job })],
  [1, fc.record({ op: oneOf("cancel" as const, "resume" as const), job })],
  [2, fc.record({ op: oneOf("raise" as const), raises: list(raiseOne, 3) })],
  [2, fc.record({ op: oneOf("retry" as const), filter, rowsMax })],
  [
    2,
    fc.record({ op: oneOf("purge" as const), filter, rowsMax, keepKeys: oneOf(true, true, false) }),
  ],
  [1, fc.record({ op: oneOf("forgetKeys" as const), filter, rowsMax })],
  [
    1,
    fc.record({ op: oneOf("pruneLog" as const), finishedBeforeMs: oneOf(0, -5, -50, 5), rowsMax }),
  ],
  [2, fc.record({ op: oneOf("again" as const), back: fc.nat(6) })],
];

const want: fc.Arbitrary<Want> = fc.oneof(
  ...weighed.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

const query: fc.Arbitrary<BrowseQuery> = fc.record(
  {
    states: oneOf<TaskState[]>(["pending"], ["running", "failed"], ["done", "skipped"]),
    kind: oneOf(...kinds),
    job,
    gate: anyGate,
    keyPrefix: oneOf("k", "K", "k%", "k_", "kä"),
    text: oneOf("a%", "A_", "a", "é", '"'),
    afterId: oneOf(0, 0, 3, 10),
    limit: oneOf(100, 1, 3),
  },
  { requiredKeys: ["afterId", "limit"] },
);

const step: fc.Arbitrary<ComparisonStep> = fc.record({
  advanceMs: oneOf(0, 0, 0, 0.25, 0.5, 1, 1, 4.75, 5, 5, 10, 10, 40, 40, 100, 1500),
  wallStepMs: oneOf(0, 0, 0, 0, 0, 0, 0, 0, -50, 50, -2000, 2000),
  opener: fc.nat(openersMax - 1),
  reopen: oneOf("no", "no", "no", "no", "no", "no", "closed", "crashed"),
  wants: fc.array(want, { maxLength: 4 }),
  query,
  kinds: kindSet,
});

export const history = fc.array(step, { minLength: 1, maxLength: 40, size: "max" });

/**
 * Mostly one lane without a gate, in stores that stay open: these histories use the fast paths most
 * of the time.
 */
export const plainHistory = history.map((steps): ComparisonStep[] =>
  steps.map((one, index) => ({
    ...one,
    reopen: index % 20 === 19 ? one.reopen : "no",
    opener: index % 10 === 9 ? one.opener : 0,
    wants: one.wants.filter(isPlainWant).map((each) => plainWant(each, index)),
  })),
);

const isPlainWant = (want: Want) =>
  want.op === "openJob" ? want.gate === "" : want.op !== "cancel" && want.op !== "seal";

function plainWant(want: Want, index: number): Want {
  // There are few keys, which would limit the number of tasks in one scope.
  const plain = (task: NewTask): NewTask =>
    index % 12 === 11
      ? task
      : {
          ...task,
          kind: "x",
          job: "default",
          gate: "",
          key: `${task.key}${index % 5}`,
          dueAtMs: 0,
        };
  if (want.op === "add") return { ...want, tasks: want.tasks.map(plain) };
  if (want.op !== "finish") return want;
  const finishes = want.finishes.map((one) =>
    one.add ? { ...one, add: one.add.map(plain) } : one,
  );
  return { ...want, finishes };
}
