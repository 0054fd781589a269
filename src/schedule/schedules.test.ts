import { beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock, type TestClock } from "../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "../queue/adapters/memory/memory-queue-store.ts";
import { createQueue, type Queue } from "../queue/index.ts";
import {
  createScheduleHandler,
  createTicker,
  listSchedules,
  pauseSchedule,
  putSchedule,
  removeSchedule,
  runScheduleNow,
  scheduleJob,
  scheduleKind,
  showSchedule,
  type ScheduleInput,
  type ScheduleServices,
} from "./index.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 5, 10, 30);
const hourly: ScheduleInput = {
  name: "hourly",
  timing: { cron: "0 * * * *", timezone: "UTC" },
  action: { kind: "resolve" },
};

describe("schedules", () => {
  let clock: TestClock;
  let queue: Queue;
  let ledger: ReturnType<typeof memoryLedger>;
  let ran: string[];

  beforeEach(() => {
    clock = createTestClock(start);
    const store = createMemoryQueueStore({ now: () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() }) }); // prettier-ignore
    queue = createQueue({ store, clock, random: createSeededRandom(1) });
    ledger = memoryLedger();
    ran = [];
  });

  const ticker = () => createTicker({ ledger, queue: async () => queue, clock, log: silentLogger });
  const place = () => ({ ledger, queue, clock });
  const put = (input: ScheduleInput, hasBucket = true) =>
    putSchedule({ ...place(), hasBucket }, input, "hand:me");

  /** Does what waits, as a worker would. */
  async function work(): Promise<void> {
    const handler = createScheduleHandler();
    const services: ScheduleServices = {
      scheduleQueue: queue,
      async runScheduled(action, { occurrence }) {
        ran.push(`${action.kind} ${occurrence}`);
        return { merged: 2 };
      },
    };
    for (;;) {
      const { leases } = await queue.claim({ worker: "w", kinds: [scheduleKind] });
      const [task] = leases;
      if (!task) return;
      const payload = handler.schema.parse(task.payload);
      const run = handler.run as (context: unknown) => Promise<{ kind: string }>;
      const outcome = await run({
        task: { ...task, payload },
        services,
        signal: new AbortController().signal,
        progress() {},
      });
      await queue.finish([{ id: task.id, token: task.token, outcome: outcome as never }]);
    }
  }

  test("an occurrence runs once, though three nodes look", async () => {
    await put(hourly);
    const nodes = [ticker(), ticker(), ticker()];
    await clock.advance(hourMs);
    for (const node of nodes) await node.tick();
    await work();
    expect(ran).toEqual(["resolve 2026-01-05T11:00:00.000Z"]);
    const shown = await showSchedule(place(), "hourly");
    expect(shown.result).toEqual({ merged: 2 });
    expect(shown.next).toEqual(["2026-01-05T12:00:00.000Z", "2026-01-05T13:00:00.000Z", "2026-01-05T14:00:00.000Z"]); // prettier-ignore
    expect(shown.last).toMatchObject({ occurrence: "2026-01-05T11:00:00.000Z", state: "done" });
  });

  test("re-scrape is another spelling of rescrape", async () => {
    const { schedule } = await put({
      ...hourly,
      action: { kind: "re-scrape", missing: ["email"] },
    });
    expect(schedule.action).toEqual({ kind: "rescrape", missing: ["email"] });
  });

  test("what cannot work is refused when it is added, in words of ours", async () => {
    const words = async (more: object, hasBucket = true) =>
      await put({ ...hourly, ...more } as ScheduleInput, hasBucket).then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await words({ action: { kind: "compact" } }, false)).toContain("set bucket.url");
    expect(await words({ action: { kind: "compact" } })).toBe("");
    const feed = { kind: "export", campaign: "a", changes: "crm" };
    expect(await words({ action: feed })).toBe("");
    expect(await words({ action: { ...feed, format: "csv" } })).toContain("leave out new and format"); // prettier-ignore
    const wrong: readonly (readonly [object, string])[] = [
      [{ name: "Not a name" }, "name must be 1 to 63 of a-z, 0-9 and -"],
      [{ action: { kind: "dance" } }, "does must be one of gather, rescrape"],
      [{ action: { kind: "rescrape", missing: ["fax"] } }, "missing must be"],
      [{ action: { kind: "rescrape", missing: [] } }, "missing must be"],
      [{ action: { kind: "rescrape", staleMs: 0 } }, "stale must be"],
      [{ action: { kind: "rescrape", staleMs: 1.5 } }, "stale must be"],
      [{ action: { kind: "gather", campaign: "" } }, "campaign must be"],
      [{ action: { kind: "gather", campaign: 5 } }, "campaign must be"],
      [{ action: { kind: "export", campaign: "a", onlyNew: "A B" } }, "the name of the export"],
      [{ action: { kind: "export", campaign: "a", format: "" } }, "format must be"],
      [{ action: { kind: "export", campaign: "a", format: "doc" } }, "format must be"],
      [{ action: { kind: "resolve", color: "red" } }, "there is no color"],
      [{ timing: { cron: "", timezone: "UTC" } }, "cron"],
      [{ timing: { cron: "x".repeat(300), timezone: "UTC" } }, "cron"],
      [{ timing: { cron: "0 6 * * *", timezone: "Mars/Base" } }, "Mars/Base"],
      [{ timing: { everyMs: 10, fromMs: 0 } }, "at least one minute"],
      [{ timing: { everyMs: 1e15, fromMs: 0 } }, "at most 366 days"],
      [{ timing: { everyMs: 60_000.5, fromMs: 0 } }, "every must be"],
      [{ missed: "maybe" }, "missed must be one of latest, skip, all"],
      [{ overlap: "maybe" }, "overlap must be skip or queue"],
      [{ withinMs: 5 }, "at least one minute"],
      [{ withinMs: 1e15 }, "at most 30 days"],
    ];
    for (const [more, text] of wrong) {
      const reported = await words(more);
      expect(reported, JSON.stringify(more)).toContain(text);
      expect(reported).not.toMatch(/Invalid|expected|received|Too (?:small|big)|Unrecognized/);
    }
  });

  test("after an outage the latest runs, and every other is on record with its reason", async () => {
    await put(hourly);
    await clock.advance(3.2 * hourMs);
    await ticker().tick();
    await work();
    expect(ran).toEqual(["resolve 2026-01-05T13:00:00.000Z"]);
    const { runs } = await showSchedule(place(), "hourly");
    const reported = runs.map(({ occurrence, state, reason }) => [occurrence.slice(11, 16), state, reason]); // prettier-ignore
    expect(reported.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ["11:00", "skipped", "missed; 2026-01-05T13:00:00.000Z replaces it (missed = latest)"],
      ["12:00", "skipped", "missed; 2026-01-05T13:00:00.000Z replaces it (missed = latest)"],
      ["13:00", "done", null],
    ]);
  });

  test("a changed expression does not fire for the past, and the same one changes nothing", async () => {
    await put(hourly);
    await clock.advance(2 * hourMs);
    expect((await put(hourly)).change).toBe("unchanged");
    const changed = { ...hourly, timing: { cron: "15 * * * *", timezone: "UTC" } };
    expect((await put(changed)).change).toBe("changed");
    await ticker().tick();
    await work();
    expect(ran).toEqual([]);
    await clock.advance(hourMs);
    await ticker().tick();
    await work();
    expect(ran).toEqual(["resolve 2026-01-05T13:15:00.000Z"]);
  });

  test("while it is paused its occurrences are skipped, and it continues from now", async () => {
    await put(hourly);
    await pauseSchedule(place(), "hourly", { isPaused: true, source: "hand:me" });
    const node = ticker();
    await clock.advance(hourMs);
    await node.tick();
    await clock.advance(hourMs);
    await pauseSchedule(place(), "hourly", { isPaused: false, source: "hand:me" });
    await node.tick();
    await work();
    expect(ran).toEqual([]);
    const { runs, isPaused } = await showSchedule(place(), "hourly");
    expect(isPaused).toBe(false);
    expect(runs).toMatchObject([{ occurrence: "2026-01-05T11:00:00.000Z", reason: "the schedule is paused" }]); // prettier-ignore
  });

  test("overlap = skip: while the previous run has not ended, the next is skipped and names it", async () => {
    await put(hourly);
    const node = ticker();
    await clock.advance(hourMs);
    await node.tick();
    const { leases } = await queue.claim({ worker: "slow", kinds: [scheduleKind], leaseMs: 9 * hourMs }); // prettier-ignore
    expect(leases).toHaveLength(1);
    await clock.advance(hourMs);
    await node.tick();
    await work();
    const { runs } = await showSchedule(place(), "hourly");
    expect(runs[0]?.reason).toBe("the run of 2026-01-05T11:00:00.000Z has not ended (overlap = skip)"); // prettier-ignore
  });

  test("overlap = queue: the next waits for the run before", async () => {
    await put({ ...hourly, overlap: "queue" });
    const node = ticker();
    await clock.advance(hourMs);
    await node.tick();
    const { leases } = await queue.claim({ worker: "slow", kinds: [scheduleKind], leaseMs: 9 * hourMs }); // prettier-ignore
    await clock.advance(hourMs);
    await node.tick();
    await work();
    expect(ran).toEqual([]);
    const [first] = leases;
    await queue.finish([{ id: first!.id, token: first!.token, outcome: { kind: "done" } }]);
    await work();
    expect(ran).toEqual(["resolve 2026-01-05T12:00:00.000Z"]);
  });

  test("an occurrence that no worker took in time is skipped", async () => {
    await put({ ...hourly, withinMs: 2 * hourMs });
    const node = ticker();
    await clock.advance(hourMs);
    await node.tick();
    await clock.advance(5 * hourMs);
    await work();
    expect(ran).toEqual([]);
    const { runs } = await showSchedule(place(), "hourly");
    expect(runs[0]?.reason).toBe("no worker was free in time (within)");
  });

  test("run-now runs it besides its occurrences, also a paused one", async () => {
    await put(hourly);
    await pauseSchedule(place(), "hourly", { isPaused: true, source: "hand:me" });
    const { occurrence } = await runScheduleNow(place(), queue, "hourly");
    await work();
    expect(ran).toEqual([`resolve ${occurrence}`]);
    expect((await showSchedule(place(), "hourly")).runs[0]?.isRunNow).toBe(true);
  });

  test("a job that was cancelled is said once, and nothing runs", async () => {
    await put(hourly);
    const node = ticker();
    await clock.advance(hourMs);
    await node.tick();
    await queue.cancel(scheduleJob("hourly"));
    await clock.advance(hourMs);
    await node.tick();
    await work();
    expect(ran).toEqual([]);
  });

  test("what is removed is gone, and a typo is hinted at", async () => {
    await put(hourly);
    await expect(showSchedule(place(), "hourli")).rejects.toThrow("did you mean hourly?");
    await removeSchedule(place(), "hourly", "hand:me");
    expect(await listSchedules(place())).toEqual([]);
    await clock.advance(hourMs);
    await ticker().tick();
    await work();
    expect(ran).toEqual([]);
  });

  test.each([
    [{ ...hourly, name: "Not good" }, "must be 1 to 63"],
    [{ ...hourly, action: { kind: "gather" } }, "gather needs a campaign"],
    [{ ...hourly, action: { kind: "rescrape" } }, "which companies"],
    [{ ...hourly, missed: "all", overlap: "skip" }, "overlap must be queue"],
    [{ ...hourly, timing: { everyMs: 1_000, fromMs: 0 } }, "at least one minute"],
    [{ ...hourly, withinMs: 90 * 86_400_000 }, "at most 30 days"],
  ] as [ScheduleInput, string][])("refuses %j: %s", async (input, words) => {
    await expect(put(input)).rejects.toThrow(words);
  });
});

function memoryLedger() {
  const values = new Map<string, unknown>();
  return {
    read: async (target: string) => ({ target, fields: [...values].map(([field, value]) => ({ field, value })) }) as never, // prettier-ignore
    write: async ({ changes }: { readonly changes: readonly { readonly field: string; readonly value?: unknown; readonly unset?: true }[] }) => {
      for (const { field, value, unset } of changes) {
        if (unset) values.delete(field);
        else values.set(field, value);
      }
      return undefined as never;
    }, // prettier-ignore
  };
}
