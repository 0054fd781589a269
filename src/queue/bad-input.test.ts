import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import type { Operation } from "./operation.ts";

/**
 * Calls of one turn share a commit, and a store that meets what it cannot keep fails all of it. So
 * whatever one caller passes, the others of its turn must not notice. Callers here have no types.
 */
type Call = readonly [method: string, ...args: readonly unknown[]];

const lease = { id: 1, token: 1 };
const done = { kind: "done" };

const badCalls: readonly Call[] = [
  ["add", "x"],
  ["add", null],
  ["add", [null]],
  ["add", [{ kind: "work" }], { by: { id: "x", token: 1 } }],
  ["add", [{ kind: "work" }], null],
  ["add", [{ kind: "work", gate: null, job: {} }]],
  ["claim", undefined],
  ["claim", { worker: "w", kinds: "work" }],
  ["extend", lease, 1_000],
  ["extend", [{ id: "x", token: 1 }], 1_000],
  ["extend", [{ id: 1, token: {} }], 1_000],
  ["extend", [undefined], 1_000],
  ["finish", { ...lease, outcome: done }],
  ["finish", [{ id: "x", token: 1, outcome: done }]],
  ["finish", [{ id: 1, token: {}, outcome: done }]],
  ["finish", [{ id: Number.NaN, token: 1, outcome: done }]],
  ["finish", [{ id: 1.5, token: 1, outcome: done }]],
  ["finish", [{ id: -1, token: 1, outcome: done }]],
  ["finish", [{ id: 2 ** 60, token: 1, outcome: done }]],
  ["finish", [{ ...lease, outcome: { kind: "gone" } }]],
  ["finish", [{ ...lease, outcome: "done" }]],
  ["finish", [lease]],
  ["finish", [{ ...lease, outcome: done, add: { kind: "work" } }]],
  ["finish", [{ ...lease, outcome: done, raise: [{ key: "a", priority: 1, gate: {} }] }]],
  ["release", [{ id: 1, token: "1" }]],
  ["release", "x"],
  ["setGate", "g", null],
  ["setGate", {}, {}],
  ["block", { gate: "g" }, 1],
  ["openJob", "j", null],
  ["openJob", "j", { gate: {} }],
  ["seal", {}],
  ["raise", [{ key: "a", priority: 1, job: {} }]],
  ["raise", [{ key: "a", priority: 1, gate: ["g"] }]],
  ["raise", [null]],
  ["raise", { key: "a", priority: 1 }],
  ["retry", { job: {} }],
  ["retry", { kind: {} }],
  ["retry", { gate: {} }],
  ["retry", { states: ["gone"] }],
  ["retry", { states: ["pending"] }],
  ["retry", { ids: ["x"] }],
  ["retry", {}, "x"],
  ["purge", { states: "done" }],
  ["purge", { finishedBeforeMs: new Date(0) }],
  ["purge", { finishedBeforeMs: Number.NaN }],
  ["purge", { finishedBeforeMs: "0" }],
  ["purge", null],
  ["archive", { states: ["running"] }],
  ["archive", null],
  ["forgetKeys", { ids: [{}] }],
  ["pruneLog", "yesterday"],
  ["pruneLog", Number.NaN],
  ["log", { states: ["pending"] }],
  ["log", { limit: 0 }],
  ["show", "x"],
  ["show", Number.NaN],
  ["browse", null],
  ["browse", { states: ["gone"] }],
  ["browse", { states: "done" }],
  ["browse", { kind: {} }],
  ["browse", { job: 7 }],
  ["browse", { gate: null }],
  ["browse", { keyPrefix: {} }],
  ["browse", { text: 7 }],
  ["browse", { text: "a\u0000" }],
  ["browse", { afterId: "x" }],
  ["job", {}],
  ["gate", undefined],
  ["wakeInMs", "work"],
  ["wakeInMs", [{}]],
  ["wakeInMs", ["work"], {}],
  ["watch", "x"],
  ["reconcile", { repair: "yes" }],
  ["reconcile", null],
];

/** One good call of each kind, to put anything anywhere into. */
const goodCalls: readonly Call[] = [
  [
    "add",
    [{ kind: "work", payload: 1, job: "j", gate: "g", key: "k", priority: 1, delayMs: 1 }],
    { by: lease },
  ],
  ["add", [{ kind: "work", dueAtMs: 1, attemptsMax: 2 }]],
  ["claim", { worker: "w", kinds: ["other"], limit: 1, burst: 1, leaseMs: 10, requestId: "r" }],
  ["extend", [lease], 1_000],
  ["finish", [{ ...lease, outcome: { kind: "done", result: 1 }, sinceStartMs: 1 }]],
  ["finish", [{ ...lease, outcome: { kind: "retry", delayMs: 1, reason: "r" } }]],
  [
    "finish",
    [{ ...lease, outcome: done, add: [{ kind: "work" }], raise: [{ key: "a", priority: 1 }] }],
  ],
  ["release", [{ ...lease, sinceStartMs: 1 }]],
  ["block", "g", 1],
  ["setGate", "g", { delayMs: 1, limit: 1 }],
  ["openJob", "j", { concurrency: 1, budget: 1, gate: "g" }],
  ["seal", "j"],
  ["pause", "j"],
  ["resume", "j"],
  ["cancel", "j"],
  ["raise", [{ job: "j", gate: "g", key: "k", priority: 1 }]],
  ["retry", { states: ["failed"], ids: [1], job: "j", kind: "k", gate: "g", finishedBeforeMs: 1 }],
  ["purge", { states: ["failed"], ids: [1], job: "j", kind: "k", gate: "g", finishedBeforeMs: 1 }],
  ["archive", { states: ["failed"], job: "j", kind: "k", gate: "g", finishedBeforeMs: 1 }],
  ["forgetKeys", { states: ["failed"], ids: [1], job: "j", finishedBeforeMs: 1 }],
  ["pruneLog", 1],
  ["log", { states: ["done"], kind: "k", job: "j", gate: "g", isNewestFirst: true, limit: 1 }],
  ["show", 1],
  [
    "browse",
    { states: ["done"], kind: "k", job: "j", gate: "g", keyPrefix: "p", text: "t", afterId: 1 },
  ],
  ["job", "j"],
  ["gate", "g"],
  ["wakeInMs", ["work"], "w"],
  ["reconcile", { repair: false }],
];

describe("bad input", () => {
  test.each(badCalls.map((call) => [describeCall(call), call] as const))(
    "%s is invalid, and the others of its turn succeed",
    async (_title, call) => {
      const { commits, before, answer, after } = await amongOthers(call);
      expect(answer).toMatchObject({ status: "rejected", reason: { kind: "invalid" } });
      expect((answer as PromiseRejectedResult).reason).toBeInstanceOf(AppError);
      expect([before, after]).toEqual([added, added]);
      expect(commits.map((commit) => commit.map(({ op }) => op))).toEqual([["add", "add"]]);
    },
  );

  test("property: anything anywhere in a call is taken or invalid, and disturbs no other", async () => {
    const spoilt = fc
      .constantFrom(...goodCalls)
      .chain(([method, ...args]) =>
        fc
          .tuple(fc.constantFrom(...pathsOf(args)), fc.anything(everything))
          .map(([path, value]): Call => [method, ...(replaced(args, path, value) as unknown[])]),
      );
    await fc.assert(
      fc.asyncProperty(spoilt, async (call) => {
        const { before, answer, after } = await amongOthers(call);
        expect([before, after]).toEqual([added, added]);
        if (answer.status === "fulfilled") return;
        expect(answer.reason).toBeInstanceOf(AppError);
        expect(answer.reason).toMatchObject({ kind: "invalid" });
      }),
      { numRuns: 500 },
    );
  });

  test("the good calls are good", async () => {
    for (const call of goodCalls) {
      expect([call[0], (await amongOthers(call)).answer.status]).toEqual([call[0], "fulfilled"]);
    }
  });
});

const added = {
  status: "fulfilled",
  value: [{ status: "added", id: expect.any(Number) as number }],
};
const everything = {
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
} as const;

/** The call between two innocent adds of the same turn. */
async function amongOthers([method, ...args]: Call) {
  const clock = createTestClock();
  const store = createMemoryQueueStore({
    now: () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() }),
  });
  const commits: (readonly Operation[])[] = [];
  const noting: typeof store = {
    ...store,
    commit: async (operations) => {
      commits.push(operations);
      return store.commit(operations);
    },
  };
  await using queue = createQueue({ store: noting, clock, random: createSeededRandom(1) });
  const untyped = queue as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  const innocent = (key: string) => queue.add([{ kind: "work", job: "innocent", key }]);
  const [before, answer, after] = await Promise.allSettled([
    innocent("before"),
    (async () => untyped[method]!(...args))(),
    innocent("after"),
  ]);
  return { commits, before, answer, after };
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  const inside = keys.flatMap((key) =>
    pathsOf((value as Record<Path[number], unknown>)[key], [...at, key]),
  );
  return at.length === 0 ? inside : [at, ...inside];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const inner = replaced((value as Record<Path[number], unknown>)[key], rest, by);
  return Array.isArray(value)
    ? value.with(key as number, inner)
    : { ...(value as object), [key]: inner };
}

function describeCall([method, ...args]: Call): string {
  const texts = args.map((arg) =>
    JSON.stringify(arg, (_key, value: unknown) =>
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
    ),
  );
  return `${method}(${texts.join(", ")})`;
}
