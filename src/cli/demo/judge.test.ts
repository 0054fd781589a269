import { describe, expect, test } from "vitest";
import type { Job, Task } from "../../queue/index.ts";
import { judge, type Evidence } from "./judge.ts";
import { cappedJob, pausedJob, urgentPriority } from "./scenario.ts";
import type { VisitEvent, VisitRef } from "./visit-log.ts";

/** A page, where it is, when it was visited, for how long and by whom. */
type Line = readonly [key: string, where: string, startMs: number, lengthMs: number, by: string];

const good: readonly Line[] = [
  ["urgent-1", "b.example", 0, 40, "w1"],
  ["page-1", "b.example", 120, 40, "w2"],
  ["page-2", "a.example", 10, 60, "dead"],
  ["page-3", "a.example", 210, 60, "w1"],
  ["page-4", "d.example", 300, 50, "w1"],
  ["page-5", "d.example", 310, 50, "w2"],
  ["report-1", cappedJob.name, 400, 50, "w1"],
  ["report-2", cappedJob.name, 410, 50, "w2"],
  ["old-1", pausedJob, 600, 10, "w1"],
];

function evidenceOf(lines: readonly Line[], more: Partial<Evidence> = {}): Evidence {
  const refs = lines.map(([key, where], index): VisitRef => {
    const isHost = where.endsWith(".example");
    return {
      id: index + 1,
      token: 1,
      key,
      gate: isHost ? where : "",
      job: isHost ? "towns" : where,
    };
  });
  const events = lines.flatMap(([, , startMs, lengthMs, worker], index): VisitEvent[] => {
    const at = { ...refs[index]!, worker };
    const endMs = startMs + lengthMs;
    return [
      { ...at, event: "start", atMs: startMs },
      { ...at, event: "end", atMs: endMs },
      { ...at, event: "finishing", outcome: "done", atMs: endMs },
      { ...at, event: "finished", outcome: "done", status: "held", atMs: endMs + 1 },
    ];
  });
  return {
    events: events.sort((a, b) => a.atMs - b.atMs),
    tasks: refs.map(taskOf),
    jobs: ["towns", cappedJob.name, pausedJob].map(jobOf),
    reconciled: { drift: [], orphans: 0, repaired: false },
    killed: { worker: "dead", atMs: 80 },
    resumedAtMs: 590,
    ...more,
  };
}

const taskOf = (ref: VisitRef): Task => ({
  ...ref,
  kind: "visit",
  payload: "{}",
  priority: ref.key.startsWith("urgent") ? urgentPriority : 500,
  dueAtMs: 0,
  createdAtMs: 0,
  state: "done",
  used: 1,
  attemptsMax: 3,
  isSuspect: false,
  expiresAtMs: 0,
  attempts: [],
  result: null,
  finishedAtMs: 1,
});

const jobOf = (name: string) => ({ name, ended: "completed", completions: 1 }) as Job;

/** The good run with one line in the place of another. */
const withLine = (key: string, line: Line) =>
  judge(evidenceOf(good.map((one) => (one[0] === key ? line : one))));

test("a run that kept all promises is good", () => {
  const verdict = judge(evidenceOf(good));
  expect(verdict).toMatchObject({
    done: 9,
    completions: { once: 9, wrong: [] },
    cap: { atOnceMax: 2 },
    urgentFirst: true,
    pausedJobKept: true,
    isGood: true,
  });
  expect(verdict.hosts[0]).toMatchObject({ host: "a.example", visits: 2, gapMsMin: 200 });
});

describe("a run is not good when", () => {
  test("a gap is shorter than the delay by the least bit, whoever made it", () => {
    const verdict = withLine("page-3", ["page-3", "a.example", 209.999, 60, "w1"]);
    expect(verdict.hosts[0]).toMatchObject({ isKept: false });
    expect(verdict.isGood).toBe(false);
  });

  test("a gate had more at once than its limit", () => {
    const verdict = withLine("page-1", ["page-1", "b.example", 120, 400, "w2"]);
    expect(verdict.isGood).toBe(true);
    const both = withLine("urgent-1", ["urgent-1", "b.example", 0, 130, "w1"]);
    expect(both.hosts[1]).toMatchObject({ atOnceMax: 2, isKept: false });
    expect(both.isGood).toBe(false);
  });

  test("a visit of the killed worker counts beyond its death", () => {
    const evidence = evidenceOf(good);
    const isCut = ({ event, worker }: VisitEvent) => worker === "dead" && event !== "start";
    const events = evidence.events.filter((event) => !isCut(event));
    const died = (atMs: number) => judge({ ...evidence, events, killed: { worker: "dead", atMs } });
    expect(died(80).hosts[0]).toMatchObject({ atOnceMax: 1 });
    expect(died(230).hosts[0]).toMatchObject({ atOnceMax: 2, isKept: false });
  });

  test("a task was completed twice, by nobody, or without the queue's knowledge", () => {
    const evidence = evidenceOf(good);
    const held = evidence.events.find(({ event }) => event === "finished")!;
    const twice = judge({ ...evidence, events: [...evidence.events, held] });
    expect(twice.completions.wrong).toEqual(["urgent-1 (b.example) was completed 2 times"]);
    expect(twice.isGood).toBe(false);

    const others = evidence.events.filter(({ id }) => id !== 1);
    const byNobody = judge({ ...evidence, events: others });
    expect(byNobody.completions.wrong).toHaveLength(1);
    expect(byNobody.isGood).toBe(false);

    const lost = judge({ ...evidence, tasks: evidence.tasks.slice(1) });
    expect(lost.completions.wrong).toEqual(["task 1 was completed, and the queue does not know"]);
    expect(lost.isGood).toBe(false);
  });

  test("the answer to a finish was cut off by the kill, unless another lease followed", () => {
    const evidence = evidenceOf(good);
    const events = evidence.events.filter(
      ({ event, worker }) => worker !== "dead" || event !== "finished",
    );
    expect(judge({ ...evidence, events }).isGood).toBe(true);
    const tasks = evidence.tasks.map((task) => (task.id === 3 ? { ...task, token: 2 } : task));
    expect(judge({ ...evidence, events, tasks }).isGood).toBe(false);
  });

  test("a job broke its cap, began while paused, or ended twice", () => {
    const third: Line = ["report-3", cappedJob.name, 420, 10, "w2"];
    expect(judge(evidenceOf([...good, third]))).toMatchObject({
      cap: { atOnceMax: 3 },
      isGood: false,
    });
    expect(judge(evidenceOf(good, { resumedAtMs: 601 }))).toMatchObject({
      pausedJobKept: false,
      isGood: false,
    });
    const jobs = [{ ...jobOf("towns"), completions: 2 }];
    expect(judge(evidenceOf(good, { jobs })).isGood).toBe(false);
  });

  test("an urgent page had to wait for one that is not", () => {
    const swapped: readonly Line[] = [
      ["urgent-1", "b.example", 120, 40, "w1"],
      ["page-1", "b.example", 0, 40, "w2"],
      ...good.slice(2),
    ];
    expect(judge(evidenceOf(swapped))).toMatchObject({ urgentFirst: false, isGood: false });
  });

  test("something is left, or the counters have drifted", () => {
    const evidence = evidenceOf(good);
    const tasks = evidence.tasks.map((task): Task => {
      return task.id === 9 ? { ...task, state: "pending" } : task;
    });
    expect(judge({ ...evidence, tasks }).isGood).toBe(false);
    const drift = [{ counter: "done", counted: 8, actual: 9 }];
    const reconciled = { drift, orphans: 0, repaired: false };
    expect(judge({ ...evidence, reconciled }).isGood).toBe(false);
  });
});

test("it says who took over, and why a task was given up", () => {
  const evidence = evidenceOf(good);
  const attempt = { token: 1, atMs: 1, reason: "503" };
  const tasks = evidence.tasks.map((task): Task => {
    if (task.id === 4) return { ...task, attempts: [{ ...attempt, outcome: "expired" }] };
    if (task.id !== 5) return task;
    const retry = { ...attempt, outcome: "retry" as const };
    return { ...task, state: "failed", attempts: [retry, retry] };
  });
  const events = evidence.events.filter(({ id, event }) => id !== 5 || event === "start");
  const verdict = judge({ ...evidence, tasks, events });
  expect(verdict.takenOver).toEqual([{ key: "a.example page-3", by: "w1" }]);
  expect(verdict.deadLetters).toEqual([
    { key: "page-4", gate: "d.example", reasons: ["503", "503"] },
  ]);
  expect(verdict.retried).toBe(1);
});
