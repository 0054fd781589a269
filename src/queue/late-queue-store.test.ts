import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createSeededRandom } from "../base/random.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import { openLateQueueStore } from "./late-queue-store.ts";

const away = new AppError("unavailable", "away", "the server did not answer");

test("a store that is unavailable is opened by the first call that reaches it, and then watched", async () => {
  let isAway = true;
  let opens = 0;
  const store = await openLateQueueStore(async () => {
    opens += 1;
    if (isAway) throw away;
    return createMemoryQueueStore();
  });
  const clock = createTestClock();
  await using queue = createQueue({ store, clock, random: createSeededRandom(1) });
  let changes = 0;
  const unwatch = queue.watch(() => (changes += 1));
  await expect(queue.add([{ kind: "a" }])).rejects.toThrow("did not answer");
  await expect(queue.stats()).rejects.toThrow("did not answer");
  isAway = false;
  const [answer] = await queue.add([{ kind: "a" }]);
  expect(answer?.status).toBe("added");
  expect(changes).toBeGreaterThan(0);
  await queue.stats();
  expect(opens).toBe(4); // at the start, for the two failed calls, and for the add
  unwatch();
  const heard = changes;
  await queue.add([{ kind: "a" }]);
  expect(changes).toBe(heard);
});

test("what is wrong for good is thrown at once", async () => {
  const wrong = new AppError("invalid", "queue_address", "no such scheme");
  await expect(openLateQueueStore(() => Promise.reject(wrong))).rejects.toBe(wrong);
});

test("a store that opens after it was closed is closed too", async () => {
  let resolve = () => {};
  let isFirst = true;
  let closed = 0;
  const waiting = new Promise<void>((onDone) => (resolve = onDone));
  const store = await openLateQueueStore(async () => {
    if (isFirst) {
      isFirst = false;
      throw away;
    }
    await waiting;
    return { ...createMemoryQueueStore(), [Symbol.asyncDispose]: async () => void (closed += 1) };
  });
  const call = store.now();
  const closing = store[Symbol.asyncDispose]();
  resolve();
  await expect(call).rejects.toThrow("closed");
  await closing;
  expect(closed).toBe(1);
});
