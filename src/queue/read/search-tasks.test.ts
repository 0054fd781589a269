import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import { createQueue } from "../create-queue.ts";
import { failureGroup, groupFailures } from "./failure-groups.ts";
import { raiseTask } from "../raise-task.ts";
import { searchTasks } from "./search-tasks.ts";

function setUp() {
  const clock = createTestClock();
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  const store = createMemoryQueueStore({ now });
  return createQueue({ store, clock, random: createSeededRandom(1) });
}

async function failAll(queue: ReturnType<typeof setUp>, reasons: readonly string[]) {
  await queue.add(reasons.map((_, at) => ({ kind: "page", key: `f${at}` })));
  const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: 1_000 });
  await queue.finish(
    leases.map(({ id, token }, at) => ({ id, token, outcome: { kind: "fail", reason: reasons[at]! } })), // prettier-ignore
  );
}

test("tasks are found by why they wait, page by page", async () => {
  const queue = setUp();
  const some = (kind: string, count: number, more: object = {}) =>
    queue.add(Array.from({ length: count }, (_, at) => ({ kind, key: `${kind}${at}`, ...more })));
  await some("held", 3, { job: "held" });
  await queue.pause("held");
  await some("free", 700);
  await some("later", 2, { delayMs: 60_000 });
  const paused = await searchTasks(queue, { waits: "paused" });
  expect(paused.tasks.map(({ kind }) => kind)).toEqual(["held", "held", "held"]);
  expect(paused.nextId).toBeUndefined();
  const first = await searchTasks(queue, { waits: "worker_capacity", limit: 600 });
  expect(first.tasks).toHaveLength(600);
  const rest = await searchTasks(queue, { waits: "worker_capacity", limit: 600, afterId: first.nextId! }); // prettier-ignore
  expect(rest.tasks).toHaveLength(100);
  expect(rest.nextId).toBeUndefined();
  expect((await searchTasks(queue, { waits: "scheduled" })).tasks).toHaveLength(2);
  expect((await searchTasks(queue, { waits: "paused", states: ["failed"] })).tasks).toEqual([]);
});

test("failed tasks are grouped by their error, and a group is found again", async () => {
  const queue = setUp();
  await failAll(queue, [
    "BusyError: a.example answered 429 for tile 30.2_-97.8",
    "BusyError: b.example answered 429 for tile 31.0_-98.1",
    "BusyError: b.example answered 503 for tile 31.0_-98.1",
    "Error: connect ECONNREFUSED 10.0.0.1:443",
  ]);
  const { groups, read, isComplete } = await groupFailures(queue, {});
  expect({ read, isComplete }).toEqual({ read: 4, isComplete: true });
  expect(groups.map(({ error, count }) => [error, count])).toEqual(
    expect.arrayContaining([
      ["BusyError: … answered 429 for tile …", 2],
      ["BusyError: … answered 503 for tile …", 1],
    ]),
  );
  for (const { error, count } of groups) {
    expect((await searchTasks(queue, { error })).tasks, error).toHaveLength(count);
  }
  expect((await searchTasks(queue, { error: "econnrefused" })).tasks).toHaveLength(1);
  expect((await searchTasks(queue, { error: "nothing" })).tasks).toEqual([]);
});

test("what differs from task to task is left out of an error's group", () => {
  const group = (error: string) => failureGroup(error);
  expect(group("timeout after 30123 ms at https://x.example/a?b=1")).toBe(
    "timeout after … ms at …",
  );
  expect(group(`no campaign "austin"\n  at run`)).toBe("no campaign …");
  expect(group("answered 404")).not.toBe(group("answered 503"));
  expect(group("")).toBe("(no reason)");
  expect(group("x".repeat(10_000)).length).toBeLessThanOrEqual(200);
});

test("one task is raised by its number; an unknown one is refused", async () => {
  const queue = setUp();
  await queue.add([{ kind: "page", key: "a", job: "j", gate: "g", delayMs: 60_000 }]);
  expect(await raiseTask(queue, 1, { priority: 900, isDueNow: false })).toBe(true);
  expect((await queue.show(1))?.waiting?.reason).toBe("scheduled");
  expect(await raiseTask(queue, 1, { priority: 0, isDueNow: true })).toBe(true);
  expect((await queue.show(1))?.waiting?.reason).toBe("worker_capacity");
  expect((await queue.show(1))?.task.priority).toBe(900);
  expect(await raiseTask(queue, 1, { priority: 0, isDueNow: true })).toBe(false);
  await expect(raiseTask(queue, 9, { priority: 1, isDueNow: true })).rejects.toMatchObject({
    code: "no_such_task",
  });
});
