import { expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { EndedCount, CrashedWork } from "./crash-record.ts";
import type { ChildEvents, DeadProcess, ProcessSlot, ToChild } from "./process-slot.ts";
import { createSupervisor } from "./supervisor.ts";
import { createEndedCounter } from "../worker-metrics.ts";
import type { WorkerView } from "../worker-view.ts";

const slot = (name: string, more: Partial<ProcessSlot> = {}): ProcessSlot => ({
  name,
  concurrency: 4,
  version: "1",
  ...more,
});

/** Processes that do what the test says, and send heartbeats unless they hang. */
function setUp(slots: readonly ProcessSlot[]) {
  const clock = createTestClock();
  const metrics = createMetrics();
  const children: FakeChild[] = [];
  const supervisor = createSupervisor({
    slots,
    watchdogMs: 10_000,
    stopMs: 20_000,
    clock,
    logger: silentLogger,
    metrics,
    spawn(wanted, events) {
      const child = createFakeChild(wanted, events, children.length + 1);
      children.push(child);
      return child;
    },
  });
  async function pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 500) {
      for (const child of children) child.sendHeartbeat();
      await clock.advance(500);
    }
  }
  const alive = () => children.filter(({ isAlive }) => isAlive).map(({ pid }) => pid);
  return { clock, metrics, supervisor, children, pass, alive };
}

type FakeChild = ReturnType<typeof createFakeChild>;
function createFakeChild(wanted: ProcessSlot, events: ChildEvents, pid: number) {
  const got: ToChild[] = [];
  const child = {
    pid,
    wanted,
    got,
    isAlive: true,
    isHung: false,
    oldestCallMs: 0,
    done: 0,
    ends: 0,
    send: (message: ToChild) => void got.push(message),
    kill: () => child.exit("SIGKILL"),
    exit(how: string, dead?: DeadProcess) {
      if (!child.isAlive) return;
      child.isAlive = false;
      events.onExit(how, dead);
    },
    sendHeartbeat() {
      if (!child.isAlive || child.isHung) return;
      const counters = createMetrics();
      counters.counter({ name: "done_total", help: "Done." }).of().add(child.done);
      if (child.ends > 0) createEndedCounter(counters).of("work", "done").add(child.ends);
      const view = { oldestCallMs: child.oldestCallMs } as WorkerView;
      events.onMessage({ kind: "heartbeat", view, metrics: counters.snapshot() });
    },
    drained: () => events.onMessage({ kind: "drained" }),
  };
  return child;
}

test("A9: what dies is replaced: at once, then later and later, until it has lasted", async () => {
  const { clock, supervisor, children, pass, alive } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  expect(alive()).toEqual([1, 2]);
  const waits: number[] = [];
  for (let death = 0; death < 5; death++) {
    const diedMs = clock.monotonicMs();
    const count = children.length;
    children.findLast(({ wanted }) => wanted.name === "a")!.exit("code 1");
    while (children.length === count) await pass(500);
    waits.push(clock.monotonicMs() - diedMs);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  expect(children.filter(({ wanted }) => wanted.name === "b")).toHaveLength(1);
  await pass(61_000);
  const before = children.length;
  children.at(-1)!.exit("SIGSEGV");
  await pass(500);
  expect(children).toHaveLength(before + 1);
});

test("a process whose event loop is blocked says nothing, is killed and replaced", async () => {
  const { supervisor, children, pass, alive } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  await pass(5_000);
  children[0]!.isHung = true;
  await pass(9_500);
  expect(alive()).toEqual([1, 2]);
  await pass(2_000);
  expect(alive()).toEqual([2, 3]);
  expect(supervisor.look().find(({ name }) => name === "a")).toMatchObject({ restarts: 1 });
});

test("has a fault if a killed process does not end", async () => {
  const { supervisor, children, pass } = setUp([slot("a")]);
  expect(supervisor.fault()).toBeUndefined();
  await supervisor.start();
  await pass(5_000);
  const [child] = children;
  child!.isHung = true;
  child!.kill = () => {}; // as a process that waits for a broken disk
  await pass(40_000);
  expect(supervisor.fault()).toBeUndefined();
  await pass(2_000);
  expect(supervisor.fault()).toBe("worker a was killed and does not end");
  child!.exit("SIGKILL");
  await pass(1_000);
  expect(supervisor.fault()).toBeUndefined();
});

test("one that takes long to start is let alone for half a minute", async () => {
  const { clock, supervisor, children, alive } = setUp([slot("a")]);
  await supervisor.start();
  await clock.advance(29_000);
  expect(alive()).toEqual([1]);
  children[0]!.sendHeartbeat();
  await clock.advance(9_500);
  expect(alive()).toEqual([1]);
  await clock.advance(1_500);
  expect(alive()).toEqual([2]);
  await clock.advance(32_000);
  expect(alive()).toEqual([3]);
});

test("so is one that waits for an answer of the queue that never comes", async () => {
  const { supervisor, children, pass, alive } = setUp([slot("a")]);
  await supervisor.start();
  await pass(2_000);
  children[0]!.oldestCallMs = 19_000;
  await pass(2_000);
  expect(alive()).toEqual([1]);
  children[0]!.oldestCallMs = 21_000;
  await pass(2_000);
  expect(alive()).toEqual([2]);
});

test("changed live: concurrency by a message, a new version in good order, counts both ways", async () => {
  const { supervisor, children, pass, alive } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  await pass(1_000);
  supervisor.setSlots([slot("a", { concurrency: { min: 1, max: 9 } }), slot("b"), slot("c")]);
  expect(children[0]!.got.at(-1)).toEqual({ kind: "configure", concurrency: { min: 1, max: 9 } });
  expect(children[1]!.got).toHaveLength(1);
  expect(alive()).toEqual([1, 2, 3]);

  supervisor.setSlots([slot("a", { version: "2" }), slot("c")]);
  expect(children[0]!.got.at(-1)).toEqual({ kind: "stop" });
  expect(children[1]!.got.at(-1)).toEqual({ kind: "stop" });
  expect(alive()).toEqual([1, 2, 3]); // nobody is killed, because they have tasks in flight
  children[0]!.exit("code 0");
  children[1]!.exit("code 0");
  await pass(500);
  expect(alive()).toEqual([3, 4]);
  expect(children[3]!.wanted).toMatchObject({ name: "a", version: "2" });
});

test("stop waits for all; one that does not stop is killed; abort signals them twice", async () => {
  const { supervisor, children, pass, alive } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  await pass(1_000);
  let isStopped = false;
  void supervisor.stop().then(() => (isStopped = true));
  children[0]!.exit("code 0");
  await pass(10_000);
  expect({ isStopped, alive: alive() }).toEqual({ isStopped: false, alive: [2] });
  void supervisor.abort();
  expect(children[1]!.got.filter(({ kind }) => kind === "stop")).toHaveLength(2);
  await pass(22_000);
  expect({ isStopped, alive: alive() }).toEqual({ isStopped: true, alive: [] });
});

test("a stop is orderly when every process ends by itself with code 0", async () => {
  for (const [how, isOrderly] of [
    ["code 0", true],
    ["code 1", false],
    ["SIGKILL", false],
  ] as const) {
    const { supervisor, children, pass } = setUp([slot("a"), slot("b")]);
    await supervisor.start();
    children[0]!.exit("SIGSEGV"); // replaced, which does not count as a stop
    await pass(1_000);
    const stopped = supervisor.stop();
    children[1]!.exit("code 0");
    children[2]!.exit(how);
    await stopped;
    expect(supervisor.isOrderly(), how).toBe(isOrderly);
  }
});

test("drained when all are, and a process that dies meanwhile is replaced first", async () => {
  const { supervisor, children, pass } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  let isDrained = false;
  void supervisor.drained.then(() => (isDrained = true));
  const end = (child: FakeChild | undefined) => {
    child!.drained();
    child!.exit("code 0");
  };
  end(children[0]);
  children[1]!.exit("SIGKILL");
  await pass(1_000);
  expect(isDrained).toBe(false);
  end(children[2]);
  await pass(500);
  expect(isDrained).toBe(true);
  expect(children).toHaveLength(3);
});

test("what processes counted is added up, and survives them", async () => {
  const { supervisor, children, pass, metrics } = setUp([slot("a"), slot("b")]);
  await supervisor.start();
  children[0]!.done = 5;
  children[1]!.done = 7;
  await pass(1_000);
  children[0]!.exit("SIGKILL");
  await pass(500);
  children[2]!.done = 1;
  await pass(500);
  expect(supervisor.metrics()[0]?.series[0]?.value).toBe(13);
  const restarts = metrics.snapshot().find(({ name }) => name === "forager_worker_restarts_total");
  expect(restarts?.series).toEqual([{ values: ["SIGKILL"], value: 1 }]);
});

const lease = { id: 1, token: 2, kind: "work", used: 1, attemptsMax: 5, hasStarted: true };
const inFlight: CrashedWork = {
  worker: "a.1",
  kinds: ["work"],
  burst: 50,
  leaseMs: 60_000,
  claim: undefined,
  leases: [lease],
  ended: [{ kind: "work", end: "done", count: 12 }],
};

/** Attempts that all processes together have ended, by how. */
function endsOf({ supervisor }: ReturnType<typeof setUp>) {
  const family = supervisor.metrics().find(({ name }) => name === "forager_tasks_ended_total");
  return Object.fromEntries(
    (family?.series ?? []).map(({ values, value }) => [values.join(" "), value]),
  );
}

test("the leases of a process that died are ended at once, and its tasks are counted", async () => {
  const at = setUp([slot("a")]);
  await at.supervisor.start();
  // It had reported ten of its twelve when it died.
  at.children[0]!.ends = 10;
  await at.pass(1_000);
  let calls = 0;
  const endLeases = async () => {
    calls += 1;
    return [{ kind: "work", end: "retried", count: 1 }] satisfies EndedCount[];
  };
  at.children[0]!.exit("SIGKILL", { inFlight, endLeases });
  expect(calls).toBe(1);
  await at.pass(500);
  expect(endsOf(at)).toEqual({ "work done": 12, "work retried": 1 });
  // One that had nothing asks the queue for nothing.
  at.children[1]!.exit("code 1", { inFlight: { ...inFlight, leases: [] }, endLeases });
  expect(calls).toBe(1);
  expect(endsOf(at)).toEqual({ "work done": 24, "work retried": 1 });
});

test("a stop waits for leases that are being ended, but not for ever", async () => {
  const at = setUp([slot("a"), slot("b")]);
  await at.supervisor.start();
  await at.pass(1_000);
  let isStopped = false;
  const stopped = at.supervisor.stop().then(() => (isStopped = true));
  let answer: (counts: readonly EndedCount[]) => void = () => {};
  const endLeases = () => new Promise<readonly EndedCount[]>((resolve) => (answer = resolve));
  at.children[0]!.exit("SIGKILL", { inFlight, endLeases });
  at.children[1]!.exit("code 0");
  await at.pass(1_000);
  expect(isStopped).toBe(false);
  answer([{ kind: "work", end: "failed", count: 1 }]);
  await stopped;
  expect(endsOf(at)).toEqual({ "work done": 12, "work failed": 1 });

  const hopeless = setUp([slot("a")]);
  await hopeless.supervisor.start();
  const ended = hopeless.supervisor.stop();
  hopeless.children[0]!.exit("SIGKILL", { inFlight, endLeases: () => new Promise(() => {}) });
  await hopeless.pass(5_500);
  await ended;
});
