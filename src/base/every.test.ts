import { expect, test } from "vitest";
import { every } from "./every.ts";
import { createTestClock } from "./testing/test-clock.ts";
import { sleep } from "./clock.ts";

test("work is repeated after a pause that depends on how long it took, and runs never overlap", async () => {
  const clock = createTestClock();
  const beganAtMs: number[] = [];
  const service = every(
    async () => {
      beganAtMs.push(clock.monotonicMs());
      await sleep(clock, 30);
    },
    {
      clock,
      pauseMs: (tookMs) => tookMs * 2,
      onError: (error) => expect.unreachable(String(error)),
    },
  );
  await service.start();
  await clock.advance(200);
  expect(beganAtMs).toEqual([0, 90, 180]);
  await clock.advance(50);
  await service.stop();
  expect(clock.pendingTimers()).toBe(0);
});

test("a failure is handed over, and the work is repeated all the same", async () => {
  const clock = createTestClock();
  const errors: unknown[] = [];
  const failing = async () => {
    throw new Error(`run ${errors.length + 1}`);
  };
  const service = every(failing, {
    clock,
    pauseMs: 10,
    isDelayed: true,
    onError: (error) => errors.push((error as Error).message),
  });
  await service.start();
  await clock.advance(9);
  expect(errors).toEqual([]);
  await clock.advance(12);
  expect(errors).toEqual(["run 1", "run 2"]);
  await service.stop();
});

test("stop fires the signal of the run that is under way, and waits for its end", async () => {
  const clock = createTestClock();
  const seen: string[] = [];
  const service = every(
    async (signal) => {
      await sleep(clock, 50, signal).catch(() => {});
      seen.push(signal.aborted ? "stopped" : "slept");
    },
    { clock, pauseMs: 10, onError: (error) => expect.unreachable(String(error)) },
  );
  await service.start();
  await service.stop();
  expect(seen).toEqual(["stopped"]);
  await clock.advance(1_000);
  expect(seen).toEqual(["stopped"]);
});
