import { expect, test } from "vitest";
import { sleep } from "../base/clock.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { SlowDownError } from "./failure.ts";
import type { RunHandler } from "./handler.ts";
import { openWorkerFixture, works } from "./testing/worker-fixture.ts";

const paced = async () => {
  const at = openWorkerFixture("memory");
  await at.queue.setGate("example.org", { delayMs: 1_000 });
  await at.queue.add(works("example.org", 3, { gate: "example.org" }));
  const attempts: AttemptRecord[] = [];
  return { at, attempts, onAttempt: (one: AttemptRecord) => void attempts.push(one) };
};

test("every attempt has its start, its duration and the delay that was asked", async () => {
  const { at, attempts, onAttempt } = await paced();
  await using _ = at;
  const run = async () => {
    await sleep(at.clock, 250);
  };
  await at.work(run, { onAttempt });
  await at.pass(4_000);
  expect(attempts).toMatchObject([
    { gate: "example.org", ranMs: 250, delayMs: 1_000, outcome: "done", sentMs: [] },
    { ranMs: 250, outcome: "done" },
    { ranMs: 250, outcome: "done" },
  ]);
  const [first, second, third] = attempts.map(({ startedAtMs }) => startedAtMs);
  expect(second! - first!).toBeGreaterThanOrEqual(1_000);
  expect(third! - second!).toBeGreaterThanOrEqual(1_000);
});

test("requests that the handler reports are listed, and the wait that the host asked for", async () => {
  const { at, attempts, onAttempt } = await paced();
  await using _ = at;
  await at.work(
    async ({ markStart }) => {
      await sleep(at.clock, 30);
      markStart();
      await sleep(at.clock, 100);
      throw new SlowDownError("429", { retryAfterMs: 30_000 });
    },
    { onAttempt },
  );
  await at.pass(1_000);
  expect(attempts).toMatchObject([
    { sentMs: [30], outcome: "retry", isSlowDown: true, retryAfterMs: 30_000 },
  ]);
});

test("an attempt that a stop aborts is recorded, a task that never started is not", async () => {
  const { at, attempts, onAttempt } = await paced();
  await using _ = at;
  const run: RunHandler<unknown, unknown> = async ({ signal }) => {
    await sleep(at.clock, 60_000, signal);
  };
  const worker = await at.work(run, { onAttempt });
  await at.pass(500);
  const stopped = worker.abort();
  await at.pass(100);
  await stopped;
  expect(attempts).toMatchObject([{ outcome: "release" }]);
});
