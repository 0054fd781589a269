import { describe, expect, test } from "vitest";
import { newGate } from "../gate.ts";
import { newJob } from "../job.ts";
import { apply } from "./apply.ts";
import { exactNow } from "./now.ts";
import { recount } from "./recount.ts";
import { emptyShard, type Shard } from "./shard.ts";

const now = exactNow({ ms: 5_000, wallMs: 9_000 });
const tasks = ["a", "b", "c"].map((key) => ({
  kind: "work",
  job: "j",
  gate: key === "c" ? "" : "g",
  key,
  payload: "null",
  priority: 500,
  dueAtMs: 0,
  attemptsMax: 2,
}));
const claim = { worker: "w1", kinds: ["work"], limit: 1, burst: 5, leaseMs: 1_000 };
const busy = apply(
  emptyShard(),
  [
    { op: "add", tasks },
    { op: "claim", ...claim, requestId: "r1" },
  ],
  now,
).shard;
const changed = (more: Partial<Shard>): Shard => ({ ...busy, ...more });
const job = busy.jobs.get("j")!;

describe("a recount", () => {
  test("finds nothing where nothing is wrong", () => {
    expect(recount(busy)).toEqual({ drift: [], orphans: 0, repaired: false });
  });

  test("reports what a counter says and what is true", () => {
    const jobs = new Map([["j", { ...job, pending: job.pending + 3, running: 7 }]]);
    const gates = new Map([["g", { ...busy.gates.get("g")!, running: 1 }]]);
    expect(recount(changed({ jobs, gates })).drift).toEqual([
      { counter: "gate g running", counted: 1, actual: 2 },
      { counter: "job j pending", counted: 4, actual: 1 },
      { counter: "job j running", counted: 7, actual: 2 },
    ]);
  });

  test("reports counters of jobs and gates that have no tasks at all", () => {
    const jobs = new Map([...busy.jobs, ["ghost", { ...newJob("ghost", 0), running: 1 }]]);
    const gates = new Map([...busy.gates, ["ghost", { ...newGate("ghost"), running: 2 }]]);
    expect(recount(changed({ jobs, gates })).drift).toEqual([
      { counter: "gate ghost running", counted: 2, actual: 0 },
      { counter: "job ghost running", counted: 1, actual: 0 },
    ]);
  });

  test("counts tasks that wait in a completed job, or run without a claim, as orphans", () => {
    const completed = new Map([["j", { ...job, ended: "completed" as const }]]);
    expect(recount(changed({ jobs: completed })).orphans).toBe(3);
    expect(recount(changed({ claims: new Map() })).orphans).toBe(2);
  });
});
