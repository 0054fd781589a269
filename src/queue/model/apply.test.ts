import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import type { Operation } from "../operation.ts";
import type { NewTask } from "../task.ts";
import { apply } from "./apply.ts";
import { exactNow } from "./now.ts";
import { emptyShard } from "./shard.ts";

const now = exactNow({ ms: 5_000, wallMs: 9_000 });
const task = (key: string, more: Partial<NewTask> = {}): NewTask => ({
  kind: "work",
  job: "j",
  gate: "g",
  key,
  payload: "null",
  priority: 500,
  dueAtMs: 0,
  attemptsMax: 2,
  ...more,
});
const claim: Operation = {
  op: "claim",
  worker: "w1",
  kinds: ["work"],
  limit: 5,
  burst: 5,
  leaseMs: 1_000,
  requestId: "r1",
};
const busy = apply(emptyShard(), [{ op: "add", tasks: [task("a"), task("b")] }, claim], now).shard;

describe("apply", () => {
  test("leaves the shard it was given as it was, for every operation", () => {
    const { token } = busy.tasks.get(1)!;
    const lease = { id: 1, token };
    const filter = { states: ["done", "skipped", "failed"] } as const;
    const operations: readonly Operation[] = [
      { op: "add", tasks: [task("c"), task("a", { priority: 900 })] },
      { op: "extend", leases: [lease], leaseMs: 9_000 },
      { op: "finish", finishes: [{ ...lease, outcome: { kind: "done", result: "1" } }] },
      { op: "release", releases: [{ id: 2, token }] },
      { ...claim, requestId: "r2" },
      { op: "block", gate: "g", forMs: 100 },
      { op: "setGate", gate: "g", delayMs: 10, limit: 2 },
      { op: "openJob", job: "k", concurrency: 1, budget: null, gate: "" },
      { op: "pause", job: "j" },
      { op: "resume", job: "j" },
      { op: "seal", job: "j" },
      { op: "raise", raises: [{ job: "j", gate: "g", key: "c", priority: 999 }] },
      { op: "cancel", job: "k" },
      { op: "retry", filter, rowsMax: 10 },
      { op: "purge", filter, rowsMax: 10, keepKeys: false },
      { op: "sweep" },
    ];
    const before = structuredClone(busy);
    const later = exactNow({ ms: 50_000, wallMs: 54_000 });
    const first = apply(busy, operations, later);
    expect(busy).toEqual(before);
    // The same again is the same: nothing but the arguments decides.
    expect(apply(busy, operations, later)).toEqual(first);
  });

  test("a shard that was returned is not changed by what comes after it", () => {
    const next = apply(busy, [{ op: "add", tasks: [task("c")] }], now).shard;
    const copy = structuredClone(next);
    apply(next, [{ op: "cancel", job: "j" }], now);
    expect(next).toEqual(copy);
  });

  test("answers a refused operation with its error, and continues", () => {
    const operations: readonly Operation[] = [
      { op: "openJob", job: "site", concurrency: null, budget: null, gate: "here" },
      { op: "add", tasks: [task("x"), task("y", { job: "site", gate: "there" })] },
      { op: "add", tasks: [task("z")] },
    ];
    const { shard, answers } = apply(busy, operations, now);
    expect(answers[0]).toBe("ok");
    expect(answers[1]).toBeInstanceOf(AppError);
    expect(answers[1]).toMatchObject({ code: "job_bound_to_gate" });
    expect(answers[2]).toMatchObject([{ status: "added" }]);
    expect([...shard.tasks.values()].map(({ key }) => key)).toEqual(["a", "b", "z"]);
  });

  test("a purged task leaves nothing behind that grows with the years", () => {
    const purge: Operation = {
      op: "purge",
      filter: { states: ["skipped"] },
      rowsMax: 10,
      keepKeys: false,
    };
    const waiting = apply(emptyShard(), [{ op: "add", tasks: [task("a"), task("b")] }], now).shard;
    const { shard, answers } = apply(waiting, [{ op: "cancel", job: "j" }, purge], now);
    expect(answers[1]).toEqual({ changed: 2, hasMore: false });
    expect(shard.tasks.size).toBe(0);
    expect(shard.idsByIdentity.size).toBe(0);
    expect(shard.jobs.size).toBe(0);
  });

  test("an error that is a bug is not an answer", () => {
    const broken = { op: "finish", finishes: null } as unknown as Operation;
    expect(() => apply(busy, [broken], now)).toThrow(TypeError);
  });
});
