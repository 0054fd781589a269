import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import type { Queue } from "../../queue/index.ts";
import { createCrashRecord, readInFlight, type CrashedWork } from "./crash-record.ts";
import { openFile } from "../testing/record-file.ts";
import { endLeases } from "./end-leases.ts";
import { backends, openWorkerFixture, works } from "../testing/worker-fixture.ts";

const never = () => new Promise<never>(() => {});
const how = "SIGKILL";
const nothing = { worker: "dead", kinds: ["work"], burst: 50, leaseMs: 60_000, ended: [] };

test.each(backends)(
  "%s: of a dead process, what has started is charged and suspect, the rest runs at once",
  async (backend) => {
    await using at = openWorkerFixture(backend);
    const { queue, clock } = at;
    await queue.setGate("g", { delayMs: 1_000 });
    await queue.add([...works("a", 2), ...works("run", 3, { gate: "g" })]);
    const fd = openFile();
    // Of the run only the first starts: the others wait for their moment.
    await at.work(never, {
      concurrency: 3,
      handler: { retry: { attempts: 2 } },
      crashRecord: (info) => createCrashRecord(fd, info),
    });
    await at.pass(100);
    const inFlight = readInFlight(fd)!;
    const started = inFlight.leases.filter(({ hasStarted }) => hasStarted);
    expect([inFlight.leases.length, started.length]).toEqual([5, 3]);

    const counts = await endLeases({ queue, inFlight, how, clock });
    expect(counts).toEqual([
      { kind: "work", end: "retried", count: 3 },
      { kind: "work", end: "released", count: 2 },
    ]);
    const startedIds = new Set(started.map(({ id }) => id));
    for (const task of await queue.browse()) {
      const isSuspect = startedIds.has(task.id);
      expect(task).toMatchObject({ state: "pending", used: isSuspect ? 1 : 0, isSuspect });
    }
    // Nothing is done twice by asking again, as after an answer that was lost.
    expect(await endLeases({ queue, inFlight, how, clock })).toEqual(counts);
    expect((await queue.stats()).states).toMatchObject({ pending: 5, running: 0 });
  },
);

test.each(backends)(
  "%s: what a claim leased whose answer came too late is released",
  async (backend) => {
    let isDeaf = true;
    const deaf = (queue: Queue): Queue => ({
      ...queue,
      claim: (async (request: Parameters<Queue["claim"]>[0]) => {
        const claimed = await queue.claim(request);
        return isDeaf ? never() : claimed;
      }) as Queue["claim"],
    });
    await using at = openWorkerFixture(backend, deaf);
    const { queue, clock } = at;
    await queue.add(works("a", 5));
    const fd = openFile();
    await at.work(never, { crashRecord: (info) => createCrashRecord(fd, info) });
    await at.pass(100);
    isDeaf = false;
    expect((await queue.stats()).states).toMatchObject({ running: 5 });
    const inFlight = readInFlight(fd)!;
    expect(inFlight).toMatchObject({ leases: [], claim: { limit: 10 } });
    expect(await endLeases({ queue, inFlight, how, clock })).toEqual([
      { kind: "work", end: "released", count: 5 },
    ]);
    for (const task of await queue.browse()) {
      expect(task).toMatchObject({ state: "pending", used: 0, isSuspect: false });
    }
  },
);

test("a claim of the dead that arrives after its leases were ended leases nothing", async () => {
  await using at = openWorkerFixture("memory");
  const { queue, clock } = at;
  await queue.add(works("a", 3));
  const claim = { requestId: "r1", limit: 10 };
  await endLeases({ queue, inFlight: { ...nothing, claim, leases: [] }, how, clock });
  const { worker, kinds, burst, leaseMs } = nothing;
  expect(await queue.claim({ worker, kinds, burst, leaseMs, ...claim })).toMatchObject({
    leases: [],
  });
  expect((await queue.stats()).states).toMatchObject({ pending: 3, running: 0 });
});

test("a lease that another worker holds now is not touched", async () => {
  await using at = openWorkerFixture("memory");
  const { queue, clock } = at;
  await queue.add(works("a", 2));
  const claim = (worker: string) =>
    queue.claim({ worker, kinds: ["work"], limit: 2, leaseMs: 500 });
  const dead = (await claim("dead")).leases;
  await at.pass(500);
  const [mine] = (await claim("other")).leases;
  const before = await queue.browse();
  const leases = dead.map((lease, index) => ({ ...lease, hasStarted: index === 0 }));
  const inFlight: CrashedWork = { ...nothing, claim: undefined, leases };
  expect(await endLeases({ queue, inFlight, how, clock })).toEqual([
    { kind: "work", end: "lost", count: 2 },
  ]);
  expect(await queue.browse()).toEqual(before);
  expect(await queue.finish([{ ...mine!, outcome: { kind: "done" } }])).toMatchObject([
    { status: "done" },
  ]);
});

test.each(backends)(
  "%s: if a task ended before its process could count it, the queue has its result",
  async (backend) => {
    await using at = openWorkerFixture(backend);
    const { queue, clock } = at;
    await queue.add(works("a", 6, { attemptsMax: 1 }));
    await queue.add([{ kind: "work", key: "again" }]);
    const { leases } = await queue.claim({ worker: "dead", kinds: ["work"], limit: 10 });
    const outcomes = [
      { kind: "done" },
      { kind: "done", result: 1 },
      { kind: "skip", reason: "s" },
      { kind: "fail", reason: "f" },
      { kind: "retry", delayMs: 0, reason: "no attempt is left" },
    ] as const;
    await queue.finish(outcomes.map((outcome, index) => ({ ...leases[index]!, outcome })));
    await queue.release([leases[5]!]);
    const retry = { kind: "retry", delayMs: 0, reason: "r" } as const;
    await queue.finish([{ ...leases[6]!, outcome: retry }]);
    await at.pass(1);
    await queue.claim({ worker: "other", kinds: ["work"], limit: 10 });
    await queue.archive({ states: ["done"], ids: [leases[1]!.id] });
    const before = await queue.browse();
    const inFlight: CrashedWork = {
      ...nothing,
      claim: undefined,
      leases: leases.map((lease) => ({ ...lease, hasStarted: true })),
    };
    expect(await endLeases({ queue, inFlight, how, clock })).toEqual([
      { kind: "work", end: "done", count: 2 },
      { kind: "work", end: "skipped", count: 1 },
      { kind: "work", end: "failed", count: 2 },
      { kind: "work", end: "released", count: 1 },
      { kind: "work", end: "retried", count: 1 },
    ]);
    expect(await queue.browse()).toEqual(before);
  },
);

test("a queue that is away is asked again, until the leases have run out by themselves", async () => {
  await using at = openWorkerFixture("memory");
  const { clock } = at;
  let failures = 0;
  const away = async () => {
    if (failures-- > 0) throw new AppError("unavailable", "down", "down");
    return [{ status: "failed" as const }];
  };
  const queue = { claim: never, finish: away, release: away } as never;
  const lease = { id: 1, token: 2, kind: "work", used: 1, attemptsMax: 1, hasStarted: true };
  const inFlight: CrashedWork = { ...nothing, claim: undefined, leases: [lease] };
  failures = 3;
  const ended = endLeases({ queue, inFlight, how, clock });
  await at.pass(2_000);
  expect(await ended).toEqual([{ kind: "work", end: "failed", count: 1 }]);
  failures = Infinity;
  const beganMs = clock.monotonicMs();
  const failed = endLeases({ queue, inFlight, how, clock }).catch((error: unknown) => [
    error,
    clock.monotonicMs() - beganMs,
  ]);
  await at.pass(70_000, 1_000);
  const [error, tookMs] = (await failed) as [AppError, number];
  expect(error.code).toBe("down");
  expect(tookMs).toBeGreaterThan(50_000);
  expect(tookMs).toBeLessThanOrEqual(60_000);
});

test("the lower of the two limits holds also when attempts ended with their node", async () => {
  await using at = openWorkerFixture("memory");
  await at.queue.add(works("a", 1, { attemptsMax: 5 }));
  for (let crash = 0; crash < 2; crash++) {
    await at.queue.claim({ worker: `dead${crash}`, kinds: ["work"], leaseMs: 100 });
    await at.pass(100);
  }
  let runs = 0;
  await at.work(() => void (runs += 1), { handler: { retry: { attempts: 2 } } });
  await at.pass(100);
  expect(runs).toBe(0);
  const task = await at.task("a0");
  expect(task).toMatchObject({ state: "failed", used: 3 });
  expect(task.attempts.map(({ outcome }) => outcome)).toEqual(["expired", "expired", "fail"]);
  expect(task.attempts[2]!.reason).toBe("no attempt is left: the handler of work allows 2");
});
