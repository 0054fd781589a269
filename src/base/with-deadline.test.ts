import { expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { createTestClock } from "./testing/test-clock.ts";
import { withDeadline } from "./with-deadline.ts";

test("it waits for work until the deadline, says whether it was in time, and leaves no timer", async () => {
  const clock = createTestClock();
  const inTime = withDeadline(sleep(clock, 10), { clock, ms: 20 });
  await clock.advance(10);
  expect(await inTime).toBe(true);
  expect(clock.pendingTimers()).toBe(0);

  const late = withDeadline(sleep(clock, 30), { clock, ms: 20 });
  await clock.advance(20);
  expect(await late).toBe(false);
});

test("work that fails in time rejects; a failure after the deadline is ignored", async () => {
  const clock = createTestClock();
  const failAfter = async (ms: number) => {
    await sleep(clock, ms);
    throw new Error("it failed");
  };
  const failed = withDeadline(failAfter(10), { clock, ms: 20 });
  const caught = expect(failed).rejects.toThrow("it failed");
  await clock.advance(10);
  await caught;

  const late = withDeadline(failAfter(30), { clock, ms: 20 });
  await clock.advance(40); // an unhandled rejection would fail the run
  expect(await late).toBe(false);
});
