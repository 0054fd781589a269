import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { enrichKind } from "../../campaign/index.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue, type Queue } from "../../queue/index.ts";
import { readUnreadJobs } from "./unread-jobs.ts";
import { unreadText } from "./job-troubles.ts";

const setUp = () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  return createQueue({ store, clock: systemClock, random: systemRandom });
};

/** Ends a visit of a company as the handler does: only its last task has an outcome. */
async function visit(
  queue: Queue,
  job: string,
  host: string,
  result: object,
  target = `company/${host}`,
): Promise<void> {
  await queue.add([{ kind: enrichKind, job, gate: host, payload: { target } }]);
  const { leases } = await queue.claim({ worker: "w", kinds: [enrichKind] });
  const [{ id, token }] = leases as [(typeof leases)[number]];
  await queue.finish([{ id, token, outcome: { kind: "done", result } }]);
}

const unreachable = (reason: string) => ({ outcome: "unreachable", reason });

test("a job without any website that was read is reported with the reasons, until one is read", async () => {
  const queue = setUp();
  expect(await readUnreadJobs(queue)).toEqual([]);
  await visit(queue, "leads", "a.example", { asked: "http://a.example/robots.txt" });
  expect(await readUnreadJobs(queue)).toEqual([]);
  await visit(queue, "leads", "a.example", unreachable("private_address"));
  await visit(queue, "leads", "b.example", unreachable("private_address"));
  await visit(queue, "leads", "c.example", unreachable("dns"));
  await visit(queue, "other", "d.example", { outcome: "done" });
  const [found, ...more] = await readUnreadJobs(queue);
  expect(more).toEqual([]);
  expect(unreadText(found!)).toBe(
    "job leads: no website could be read; visits: 0 done, 3 unreachable " +
      "(2 private_address: see crawl.allowPrivateNetworks, 1 dns); " +
      "visit them again with: forager queue resume leads",
  );
  // A site that refuses a visit has answered, but was not read.
  await visit(queue, "leads", "e.example", { outcome: "blocked", reason: "http_403" });
  await visit(queue, "leads", "f.example", { outcome: "done", reason: "needs_scripts" });
  expect((await readUnreadJobs(queue))[0]?.visits).toContainEqual({
    outcome: "blocked",
    reason: "http_403",
    count: 1,
  });
  await visit(queue, "leads", "g.example", { outcome: "not_modified" });
  expect(await readUnreadJobs(queue)).toEqual([]);
});

test("companies that share a website are counted one by one, as the summary of the work does", async () => {
  const queue = setUp();
  await visit(queue, "leads", "a.example", unreachable("dns"));
  await visit(queue, "leads", "a.example", unreachable("dns"), "company/branch");
  const [found] = await readUnreadJobs(queue);
  expect(found?.visits).toEqual([{ outcome: "unreachable", reason: "dns", count: 2 }]);
});

test("a visit counts until its company is visited again, by any job", async () => {
  const queue = setUp();
  await visit(queue, "leads", "a.example", unreachable("dns"));
  await visit(queue, "again", "a.example", { outcome: "done" });
  expect(await readUnreadJobs(queue)).toEqual([]);
  await visit(queue, "again", "a.example", unreachable("dns"));
  expect(await readUnreadJobs(queue)).toEqual([
    {
      job: "again",
      visits: [{ outcome: "unreachable", reason: "dns", count: 1 }],
      left: 0,
    },
  ]);
  // `forager queue resume` has put it back: resuming the job once more would change nothing.
  const target = "company/a.example";
  await queue.add([{ kind: enrichKind, job: "again", gate: "a.example", payload: { target } }]);
  const [found] = await readUnreadJobs(queue);
  expect(unreadText(found!)).toBe(
    "job again: no website could be read so far; visits: 0 done, 1 unreachable (1 dns); 1 task left",
  );
});
