import { describe, expect, test } from "vitest";
import type { Claimed, Operation } from "../operation.ts";
import type { NewTask } from "../task.ts";
import { apply } from "./apply.ts";
import { nextToken } from "./claim.ts";
import { exactNow } from "./now.ts";
import { emptyShard, type Shard } from "./shard.ts";

const now = exactNow({ ms: 1_800_000_000_000, wallMs: 1_800_000_000_000 });
const task: NewTask = {
  kind: "work",
  job: "j",
  gate: "",
  key: "a",
  payload: "null",
  priority: 500,
  dueAtMs: 0,
  attemptsMax: 9,
};
const claim = (requestId: string): Operation => ({
  op: "claim",
  worker: "w1",
  kinds: ["work"],
  limit: 1,
  burst: 1,
  leaseMs: 60_000,
  requestId,
});

describe("tokens", () => {
  test("rise by one within a millisecond and jump ahead with time", () => {
    expect(nextToken(0, 5)).toBe(5 * 1_024);
    expect(nextToken(5 * 1_024, 5)).toBe(5 * 1_024 + 1);
    expect(nextToken(9_999_999, 5)).toBe(10_000_000);
  });

  test("stay exact integers for centuries", () => {
    expect(Number.isSafeInteger(nextToken(0, Date.UTC(2200, 0, 1)))).toBe(true);
  });

  test("of a restored older shard are above all that it has forgotten", () => {
    const saved = apply(emptyShard(), [{ op: "add", tasks: [task] }], now).shard;
    let shard: Shard = saved;
    let forgotten = 0;
    for (let round = 0; round < 20; round++) {
      const claimed = apply(shard, [claim(`r${round}`)], now);
      const lease = (claimed.answers[0] as Claimed).leases[0]!;
      forgotten = lease.token;
      shard = apply(claimed.shard, [{ op: "release", releases: [lease] }], now).shard;
    }
    const later = exactNow({ ms: now.ms + 1, wallMs: now.wallMs });
    const restored = apply(saved, [claim("after")], later).answers[0] as Claimed;
    expect(restored.leases[0]!.token).toBeGreaterThan(forgotten);
  });
});

describe("records of claims", () => {
  test("are kept while a repeat may come, then forgotten", () => {
    let shard = apply(emptyShard(), [{ op: "add", tasks: [task] }, claim("r1")], now).shard;
    const [token] = shard.claims.keys();
    const outcome = { kind: "done", result: null } as const;
    const finish: Operation = { op: "finish", finishes: [{ id: 1, token: token!, outcome }] };
    shard = apply(shard, [finish, { op: "sweep" }], now).shard;
    expect(shard.claims.size).toBe(1);
    const later = exactNow({ ms: now.ms + 60_000, wallMs: now.wallMs });
    expect(apply(shard, [{ op: "sweep" }], later).shard.claims.size).toBe(0);
  });

  test("outlive their first end when a lease was extended", () => {
    let shard = apply(emptyShard(), [{ op: "add", tasks: [task] }, claim("r1")], now).shard;
    const [token] = shard.claims.keys();
    const extend: Operation = { op: "extend", leases: [{ id: 1, token: token! }], leaseMs: 90_000 };
    shard = apply(shard, [extend], now).shard;
    const later = exactNow({ ms: now.ms + 80_000, wallMs: now.wallMs });
    const swept = apply(shard, [{ op: "sweep" }, claim("r1")], later);
    expect((swept.answers[1] as Claimed).leases).toMatchObject([{ id: 1, token }]);
  });
});
