// long: chaos
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import type { Answer, Claimed, Operation } from "../operation.ts";
import type { QueueStore, StoreNow } from "../queue-store.ts";
import { compareHistory, modelComparison, parseReplay } from "./model-comparison.ts";
import type { ComparedStorage } from "./model-comparison.ts";
import { history } from "./model-comparison-steps.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

type Wrap = (store: QueueStore) => QueueStore;

const memoryStorage =
  (wrap: Wrap = (store) => store) =>
  async (now: () => StoreNow): Promise<ComparedStorage> => {
    const store = wrap(createMemoryQueueStore({ now }));
    return { open: async () => store, [Symbol.asyncDispose]: async () => {} };
  };

modelComparison({
  name: "memory",
  storage: memoryStorage(),
  timeLimitMs: isLong ? 60_000 : 4_000,
  replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
});

/** A store that changes what it was asked, or what it answers. */
const lying =
  <O extends Operation["op"]>(
    op: O,
    lie: {
      readonly asked?: (operation: Extract<Operation, { op: O }>) => Operation;
      readonly answered?: (
        answer: Answer<Extract<Operation, { op: O }>>,
      ) => Answer<Extract<Operation, { op: O }>>;
    },
  ): Wrap =>
  (store) => ({
    ...store,
    async commit(operations) {
      const { asked, answered } = lie;
      const isIt = (operation: Operation): operation is Extract<Operation, { op: O }> =>
        operation.op === op;
      const answers = await store.commit(
        operations.map((one) => (isIt(one) && asked ? asked(one) : one)),
      );
      return answers.map((answer, index) =>
        isIt(operations[index]!) && answered && !(answer instanceof Error)
          ? answered(answer as never)
          : answer,
      );
    },
  });

const claimed = (change: (answer: Claimed) => Claimed) =>
  lying("claim", { answered: (answer) => change(answer as Claimed) as never });

/** What a wrong store does, and what the comparison says of it. */
const liars: readonly (readonly [string, Wrap, RegExp])[] = [
  [
    "leases less than there is",
    lying("claim", { asked: (operation) => ({ ...operation, limit: 1 }) }),
    /leaves nothing claimable|gets \d+ at a time|equal jobs/,
  ],
  [
    "leases more than it was asked for",
    lying("claim", { asked: (operation) => ({ ...operation, limit: operation.limit + 3 }) }),
    /keeps to its own limit|limits hold|at a time|the answer to claim/,
  ],
  [
    "makes runs longer than the burst",
    lying("claim", { asked: (operation) => ({ ...operation, burst: 1_000 }) }),
    /this run has/,
  ],
  [
    "answers in the wrong order",
    claimed(({ leases, ...rest }) => ({ ...rest, leases: [...leases].reverse() })),
    /highest priority goes first|best lane goes first|later tasks wait|claimable is claimed/,
  ],
  [
    "keeps silent about a suspect",
    claimed((answer) => ({ ...answer, hasSuspect: false })),
    /the answer to claim/,
  ],
  [
    "makes tokens of its own for each task",
    claimed(({ leases, ...rest }) => ({
      ...rest,
      leases: leases.map((lease, index) => ({ ...lease, token: lease.token + index })),
    })),
    /one claim has one token|the answer to claim/,
  ],
  [
    "calls every finish done",
    lying("finish", { answered: (answer) => answer.map(() => ({ status: "done" as const })) }),
    /the answer to finish/,
  ],
  [
    "forgets what it should extend",
    lying("extend", { asked: ({ leases }) => ({ op: "extend", leases, leaseMs: 1 }) }),
    /task \d+ differs|wakeInMs/,
  ],
  [
    "does not sweep when told to",
    lying("sweep", { asked: () => ({ op: "raise", raises: [] }) }),
    /the answer to sweep/,
  ],
  [
    "loses one of the tasks of a batch",
    lying("add", { asked: (operation) => ({ ...operation, tasks: operation.tasks.slice(1) }) }),
    /the answer to add/,
  ],
  [
    "wakes too late",
    (store) => ({
      ...store,
      wakeInMs: async (kinds) => {
        const inMs = await store.wakeInMs(kinds);
        return inMs === undefined ? undefined : inMs + 2;
      },
    }),
    /wakeInMs differs/,
  ],
  [
    "counts wrong",
    (store) => ({
      ...store,
      counts: async () => {
        const seen = await store.counts();
        return { ...seen, kinds: seen.kinds.map((kind) => ({ ...kind, done: kind.done + 1 })) };
      },
    }),
    /counts: kinds differs/,
  ],
  [
    "shows the wrong page",
    (store) => ({ ...store, browse: async (query) => store.browse({ ...query, afterId: 0 }) }),
    /browse differs/,
  ],
];

describe("the comparison with the model", () => {
  test.for(liars)("a store that %s is found out", async ([, wrap, message]) => {
    const property = fc.asyncProperty(history, async (steps) =>
      compareHistory(steps, memoryStorage(wrap)),
    );
    const { failed, errorInstance } = await fc.check(property, {
      seed: 1,
      numRuns: 300,
      endOnFailure: true,
    });
    expect(failed).toBe(true);
    expect((errorInstance as Error).message.split("\n")[0]).toMatch(message);
  });

  test("a failure reports all that was sent", async () => {
    const property = fc.asyncProperty(history, async (steps) =>
      compareHistory(steps, memoryStorage(liars[0]![1])),
    );
    const { errorInstance } = await fc.check(property, { seed: 1, endOnFailure: true });
    expect((errorInstance as Error).message).toMatch(/all that was sent:\n\{"now":/);
  });

  test("a failure is repeated by its seed and path", () => {
    expect(parseReplay(undefined)).toBeUndefined();
    expect(parseReplay("-12")).toEqual({ seed: -12, path: "" });
    expect(parseReplay("12:0:3")).toEqual({ seed: 12, path: "0:3" });
    expect(() => parseReplay("seed")).toThrow(/not seed:path/);
  });
});
