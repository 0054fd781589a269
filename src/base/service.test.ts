import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "./app-error.ts";
import { sleep } from "./clock.ts";
import { createServiceGroup, type Service } from "./service.ts";
import { createTestClock, type TestClock } from "./testing/test-clock.ts";

interface Member {
  readonly startMs?: number;
  readonly stopMs?: number;
  readonly startError?: Error | undefined;
  readonly stopError?: Error | undefined;
}

/** Services that write down when they begin and end to start and stop. */
function createMembers(clock: TestClock, members: Readonly<Record<string, Member>>) {
  const trace: string[] = [];
  const services = Object.entries(members).map(
    ([name, { startMs = 10, stopMs = 10, startError, stopError }]): Service => ({
      async start() {
        trace.push(`start ${name}`);
        await sleep(clock, startMs);
        if (startError) throw startError;
        trace.push(`ready ${name}`);
      },
      async stop() {
        trace.push(`stop ${name}`);
        await sleep(clock, stopMs);
        if (stopError) throw stopError;
        trace.push(`gone ${name}`);
      },
    }),
  );
  return { trace, group: createServiceGroup(services) };
}

const outcome = (run: Promise<void>) =>
  run.then(
    () => "ok",
    (error: unknown) => error,
  );

const startOf = (name: string) => [`start ${name}`, `ready ${name}`];
const stopOf = (name: string) => [`stop ${name}`, `gone ${name}`];
const stopped = expect.objectContaining({ kind: "aborted", code: "service_stopped" });

describe("a service group", () => {
  test("starts in order, each when the one before is ready, and stops in reverse", async () => {
    const clock = createTestClock();
    const { trace, group } = createMembers(clock, { a: { startMs: 30 }, b: {}, c: { stopMs: 30 } });
    const started = outcome(group.start());
    await clock.advance(100);
    expect(await started).toBe("ok");
    expect(trace.splice(0)).toEqual([...startOf("a"), ...startOf("b"), ...startOf("c")]);
    const ended = outcome(group.stop());
    await clock.advance(100);
    expect(await ended).toBe("ok");
    expect(trace).toEqual([...stopOf("c"), ...stopOf("b"), ...stopOf("a")]);
  });

  test("when a start fails, stops what was started, in reverse, and rethrows", async () => {
    const clock = createTestClock();
    const startError = new AppError("unavailable", "port_taken", "the port is taken");
    const { trace, group } = createMembers(clock, { a: {}, b: {}, c: { startError }, d: {} });
    const started = outcome(group.start());
    await clock.advance(100);
    expect(await started).toBe(startError);
    const begun = [...startOf("a"), ...startOf("b"), "start c"];
    expect(trace).toEqual([...begun, ...stopOf("b"), ...stopOf("a")]);
    expect(await outcome(group.start())).toBe(startError);
    expect(await outcome(group.stop())).toBe("ok");
    expect(trace).toHaveLength(9);
  });

  test("a start that fails keeps its error first among those of the stops it caused", async () => {
    const clock = createTestClock();
    const startError = new Error("b did not start");
    const stopError = new Error("a did not stop");
    const { group } = createMembers(clock, { a: { stopError }, b: { startError } });
    const started = outcome(group.start());
    await clock.advance(100);
    const failure = await started;
    expect(failure).toBeInstanceOf(AggregateError);
    expect(failure).toMatchObject({ errors: [startError, stopError], cause: startError });
  });

  test("one failing stop does not keep the others running, and all failures are reported", async () => {
    const clock = createTestClock();
    const [first, second] = [new Error("a did not stop"), new Error("c did not stop")];
    const members = { a: { stopError: first }, b: {}, c: { stopError: second } };
    const { trace, group } = createMembers(clock, members);
    const started = outcome(group.start());
    await clock.advance(100);
    await started;
    trace.splice(0);
    const ended = outcome(group.stop());
    await clock.advance(100);
    expect(await ended).toBeInstanceOf(AggregateError);
    expect(await ended).toMatchObject({ errors: [second, first] });
    expect(trace).toEqual(["stop c", ...stopOf("b"), "stop a"]);
  });

  test("repeated and concurrent starts and stops share one run and its outcome", async () => {
    const clock = createTestClock();
    const stopError = new Error("a did not stop");
    const { trace, group } = createMembers(clock, { a: { stopError } });
    const starts = [outcome(group.start()), outcome(group.start())];
    await clock.advance(5);
    starts.push(outcome(group.start()));
    await clock.advance(100);
    starts.push(outcome(group.start()));
    expect(await Promise.all(starts)).toEqual(["ok", "ok", "ok", "ok"]);
    const stops = [outcome(group.stop()), outcome(group.stop())];
    await clock.advance(5);
    stops.push(outcome(group.stop()));
    await clock.advance(100);
    stops.push(outcome(group.stop()));
    expect(new Set(await Promise.all(stops)).size).toBe(1);
    expect(trace).toEqual([...startOf("a"), "stop a"]);
  });

  test("a stop during a start ends it after the member in hand and stops what ran", async () => {
    const clock = createTestClock();
    const { trace, group } = createMembers(clock, { a: {}, b: { startMs: 50 }, c: {} });
    const started = outcome(group.start());
    await clock.advance(20); // in the middle of b
    const ended = outcome(group.stop());
    await clock.advance(100);
    expect(await started).toEqual(stopped);
    expect(await ended).toBe("ok");
    expect(trace).toEqual([...startOf("a"), ...startOf("b"), ...stopOf("b"), ...stopOf("a")]);
  });

  test("a stop during a start that then fails still stops the others", async () => {
    const clock = createTestClock();
    const startError = new Error("b did not start");
    const { trace, group } = createMembers(clock, { a: {}, b: { startError, startMs: 50 } });
    const started = outcome(group.start());
    await clock.advance(20);
    const ended = outcome(group.stop());
    await clock.advance(100);
    expect(await started).toBe(startError);
    expect(await ended).toBe("ok");
    expect(trace).toEqual([...startOf("a"), "start b", ...stopOf("a")]);
  });

  test("a stop during a start throws what failed to stop", async () => {
    const clock = createTestClock();
    const stopError = new Error("a did not stop");
    const { group } = createMembers(clock, { a: { stopError }, b: { startMs: 50 }, c: {} });
    const started = outcome(group.start());
    await clock.advance(20);
    const ended = outcome(group.stop());
    await clock.advance(100);
    expect(await started).toEqual(stopped);
    expect(await ended).toMatchObject({ errors: [stopError] });
  });

  test("a stop right behind a start starts nothing", async () => {
    const { trace, group } = createMembers(createTestClock(), { a: {} });
    const runs = [outcome(group.start()), outcome(group.stop())];
    expect(await Promise.all(runs)).toEqual([stopped, "ok"]);
    expect(trace).toEqual([]);
  });

  test("a stop before any start ends the group", async () => {
    const { trace, group } = createMembers(createTestClock(), { a: {} });
    await group.stop();
    expect(await outcome(group.start())).toEqual(stopped);
    expect(trace).toEqual([]);
  });

  test("a start after a stop is refused, not answered with the earlier success", async () => {
    const clock = createTestClock();
    const { trace, group } = createMembers(clock, { a: {} });
    const runs = [outcome(group.start())];
    await clock.advance(10);
    runs.push(outcome(group.stop()));
    await clock.advance(10);
    expect(await Promise.all(runs)).toEqual(["ok", "ok"]);
    expect(await outcome(group.start())).toEqual(stopped);
    expect(trace).toEqual([...startOf("a"), ...stopOf("a")]);
  });

  test("a member that stops the group while it starts is stopped itself", async () => {
    const trace: string[] = [];
    const group: Service = createServiceGroup([
      {
        async start() {
          void group.stop();
          trace.push("started");
        },
        stop: async () => void trace.push("stopped"),
      },
    ]);
    expect(await outcome(group.start())).toEqual(stopped);
    await group.stop();
    expect(trace).toEqual(["started", "stopped"]);
  });

  test("a group is a service: groups nest, in order", async () => {
    const clock = createTestClock();
    const { trace, group } = createMembers(clock, { a: {}, b: {} });
    const outer = createServiceGroup([group, createMembers(clock, { c: {} }).group]);
    const started = outcome(outer.start());
    await clock.advance(100);
    const ended = outcome(outer.stop());
    await clock.advance(100);
    expect([await started, await ended]).toEqual(["ok", "ok"]);
    expect(trace).toEqual([...startOf("a"), ...startOf("b"), ...stopOf("b"), ...stopOf("a")]);
  });
});

const memberArbitrary = fc.record({
  startMs: fc.nat(20),
  stopMs: fc.nat(20),
  failsToStart: fc.nat(3).map((roll) => roll === 0),
  failsToStop: fc.boolean(),
});
const callArbitrary = fc.record({
  verb: fc.constantFrom("start" as const, "stop" as const),
  afterMs: fc.nat(40),
});

test("any interleaving of starts and stops keeps the promises of the group", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(memberArbitrary, { maxLength: 5 }),
      fc.array(callArbitrary, { maxLength: 8 }),
      async (plans, calls) => {
        const clock = createTestClock();
        const members = plans.map((plan, index): [string, Member] => [
          `${index}`,
          {
            startMs: plan.startMs,
            stopMs: plan.stopMs,
            startError: plan.failsToStart ? new Error(`start ${index}`) : undefined,
            stopError: plan.failsToStop ? new Error(`stop ${index}`) : undefined,
          },
        ]);
        const { trace, group } = createMembers(clock, Object.fromEntries(members));
        const runs: Promise<unknown>[] = [];
        let startsAtStop: number | undefined; // how many had begun to start at the first stop
        const beginnings = (verb: string) =>
          trace.filter((line) => line.startsWith(verb)).map((line) => Number(line.split(" ")[1]));

        for (const { verb, afterMs } of [...calls, { verb: "stop" as const, afterMs: 0 }]) {
          await clock.advance(afterMs);
          if (verb === "stop") startsAtStop ??= beginnings("start").length;
          runs.push(outcome(group[verb]()));
        }
        await clock.advance(1000);
        await Promise.all(runs); // every call ends

        const started = beginnings("start");
        expect(started).toEqual(plans.slice(0, started.length).map((_, index) => index));
        expect(started).toHaveLength(startsAtStop!);
        const ready = beginnings("ready");
        expect(ready).toEqual(started.filter((index) => !plans[index]!.failsToStart));
        expect(beginnings("stop")).toEqual(ready.toReversed());
        for (const index of ready) {
          const order = [`start ${index}`, `ready ${index}`, `stop ${index}`];
          expect(trace.filter((line) => order.includes(line))).toEqual(order);
        }
      },
    ),
    { numRuns: 150 },
  );
});
