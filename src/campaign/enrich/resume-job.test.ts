import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue, type Queue } from "../../queue/index.ts";
import { enrichKind } from "../tasks.ts";
import { resumeJob } from "./resume-job.ts";
import { firstTask } from "./visit-task.ts";

const setUp = () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  return createQueue({ store, clock: systemClock, random: systemRandom });
};
const nowMs = Date.parse("2026-11-18T12:00:00Z");

/** Ends the visits of a company as the handler does. */
async function visit(queue: Queue, company: string, result: object): Promise<void> {
  const website = `https://${company}.example/`;
  await queue.add([
    firstTask({
      job: "leads",
      round: "r",
      campaign: "leads",
      target: `company/${company}`,
      website,
    }),
  ]);
  const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind] });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  await queue.finish([{ id, token, outcome: { kind: "done", result } }]);
}

const unreachable = { outcome: "unreachable", reason: "dns" };
const pending = async (queue: Queue) =>
  (await queue.browse({ states: ["pending"] })).map(({ gate, payload }) => [
    gate,
    JSON.parse(payload) as unknown,
  ]);

test("a job that paused because nothing could be read visits those websites again, once", async () => {
  const queue = setUp();
  await visit(queue, "a", { asked: "https://a.example/robots.txt" }); // not the end of a visit
  await visit(queue, "b", unreachable);
  await visit(queue, "c", unreachable);
  await queue.pause("leads");
  expect(await resumeJob(queue, "leads", { nowMs })).toEqual({ answer: "ok", again: 2 });
  expect((await queue.job("leads"))?.isPaused).toBe(false);
  const payload = (company: string) => ({
    target: `company/${company}`,
    website: `https://${company}.example/`,
    campaign: "leads",
    after: "2026-11-18T12:00:00.000Z",
  });
  expect(await pending(queue)).toEqual([
    ["c.example", payload("c")],
    ["b.example", payload("b")],
  ]);
  expect(await resumeJob(queue, "leads", { nowMs })).toMatchObject({ again: 0 });
});

test("a job that a user paused while most websites were read just continues", async () => {
  const queue = setUp();
  await visit(queue, "a", { outcome: "done" });
  await visit(queue, "b", unreachable);
  await queue.pause("leads");
  expect(await resumeJob(queue, "leads", { nowMs })).toEqual({ answer: "ok", again: 0 });
  expect(await pending(queue)).toEqual([]);
});

test("a website that was read in the meantime is not visited again; an absent job is reported", async () => {
  const queue = setUp();
  await visit(queue, "a", unreachable);
  await visit(queue, "b", unreachable);
  await queue.add([
    firstTask({ job: "leads", round: "2", target: "company/a", website: "https://a.example/" }),
  ]);
  const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind] });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  await queue.finish([{ id, token, outcome: { kind: "done", result: { outcome: "done" } } }]);
  await visit(queue, "c", unreachable);
  expect(await resumeJob(queue, "leads", { nowMs })).toMatchObject({ again: 2 });
  expect((await pending(queue)).map(([gate]) => String(gate)).sort()).toEqual([
    "b.example",
    "c.example",
  ]);
  expect(await resumeJob(queue, "none", { nowMs })).toEqual({ answer: "absent", again: 0 });
});
