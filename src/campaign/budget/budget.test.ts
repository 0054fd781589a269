import { describe, expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { Job } from "../../queue/index.ts";
import { parseCampaign } from "../config/parse-campaign.ts";
import { budgetStatus, budgetText, type BudgetSources } from "./budget.ts";
import { createBudgetGuard, withinBudget } from "./budget-guard.ts";
import { createCompanyLimit, type CompanyCounts } from "./company-limit.ts";

const campaignOf = (budget: string) =>
  parseCampaign(
    "demo",
    "config.toml",
    `phrases = ["plumber"]\n[[locations]]\nname = "x"\nlat = 1\nlon = 1\n${budget}`,
  );

function setUp(more: Partial<BudgetSources> = {}) {
  const first = { name: "demo", openedAtMs: 1_000, requests: 0, pending: 5, running: 0 };
  let job = { ...first, isPaused: false } as Job;
  const paused: string[] = [];
  const reported: string[] = [];
  let visits = 0;
  const clock = createTestClock();
  const sources: BudgetSources & Pick<CompanyCounts, "companiesMax"> = {
    companiesMax: async () => 12,
    job: async () => job,
    nowMs: async () => 1_000 + 7_200_000,
    dollars: async () => 0.25,
    dollarsPerCommitRequest: 1e-3,
    companies: async () => 12,
    ...more,
  };
  const guard = createBudgetGuard({
    sources,
    queue: {
      pause: async (name) => {
        paused.push(name);
        job = { ...job, isPaused: true };
        return "ok" as const;
      },
      browse: async () => (visits > 0 ? ([{}] as never) : []),
    },
    clock,
    onStop: async (name, text) => void reported.push(`${name}: ${text}`),
  });
  return {
    reported,
    sources,
    guard,
    paused,
    clock,
    set: (change: Partial<Job>) => void (job = { ...job, ...change }),
    setVisits: (count: number) => void (visits = count),
  };
}

describe("budget of a campaign", () => {
  test("B28: each limit is compared with what was spent, and none makes no standing", async () => {
    const { sources, set } = setUp();
    expect(await budgetStatus(campaignOf(""), sources)).toBeUndefined();
    set({ requests: 40, commitRequests: 50 });
    const all = campaignOf("[budget]\nrequests = 41\nhours = 2.5\ndollars = 0.31\ncompanies = 13");
    expect(await budgetStatus(all, sources)).toEqual({
      state: "within",
      left: 5,
      limits: [
        { limit: "requests", max: 41, spent: 40 },
        { limit: "hours", max: 2.5, spent: 2 },
        { limit: "dollars", max: 0.31, spent: 0.3 },
        { limit: "companies", max: 13, spent: 12 },
      ],
    });
    for (const reached of ["requests = 40", "hours = 2", "dollars = 0.3", "companies = 12"]) {
      const status = await budgetStatus(campaignOf(`[budget]\n${reached}`), sources);
      expect(status).toMatchObject({ state: "budget", reached: reached.split(" ")[0] });
      expect(budgetText("demo", status!)).toContain("forager campaign set demo budget.");
    }
    set({ pending: 0 });
    const done = await budgetStatus(campaignOf("[budget]\nrequests = 40"), sources);
    expect(done).toMatchObject({ state: "within", reached: "requests" });
  });

  test("B28: what exceeds a limit is a budget also when all is done; time that passed is not", async () => {
    const { sources, set } = setUp();
    set({ requests: 41, pending: 0 });
    for (const exceeded of ["requests = 40", "companies = 11", "hours = 1\nrequests = 40"]) {
      const status = await budgetStatus(campaignOf(`[budget]\n${exceeded}`), sources);
      expect(status).toMatchObject({ state: "budget", left: 0 });
      expect(status!.reached).not.toBe("hours");
      expect(budgetText("demo", status!)).toMatch(/^done, but over its budget, 4?1/);
    }
    const late = await budgetStatus(campaignOf("[budget]\nhours = 1\ndollars = 0.1"), sources);
    expect(late).toMatchObject({ state: "within" });
  });

  test("B28: `none` removes a limit", async () => {
    const { sources } = setUp();
    const campaign = campaignOf('[budget]\nrequests = "none"\nhours = "none"');
    expect(await budgetStatus(campaign, sources)).toBeUndefined();
  });

  test("B28: of many tasks at once that meet a limit, one pauses the job and says so", async () => {
    const { guard, paused, reported, set } = setUp();
    set({ requests: 3 });
    const campaign = campaignOf("[budget]\nrequests = 3");
    const begun = Array.from({ length: 10 }, () => guard.begin(campaign, "enrich"));
    expect((await Promise.all(begun)).every(({ kind }) => kind === "stop")).toBe(true);
    expect([paused.length, reported.length]).toEqual([1, 1]);
    // It was resumed without a raise: that is another stop.
    set({ isPaused: false });
    await guard.begin(campaign, "enrich");
    expect(reported).toHaveLength(2);
  });

  test("B28: a reached limit pauses the job, and other tasks of the kind continue", async () => {
    const { guard, paused, set } = setUp();
    const campaign = campaignOf("[budget]\nrequests = 3");
    const first = await guard.begin(campaign, "enrich");
    expect(first.kind).toBe("go");
    set({ requests: 3 });
    const stopped = await guard.begin(campaign, "enrich");
    expect(stopped).toMatchObject({ kind: "stop", isKindHeld: false });
    expect(paused).toEqual(["demo"]);
    const raised = await guard.begin(campaignOf("[budget]\nrequests = 9"), "enrich");
    expect(raised.kind).toBe("go");
  });

  test("B28: a process never starts more tasks than requests are left", async () => {
    const { guard, clock, set, paused } = setUp();
    const campaign = campaignOf("[budget]\nrequests = 2");
    const tickets = [await guard.begin(campaign, "enrich"), await guard.begin(campaign, "enrich")];
    let third: string | undefined;
    const waiting = guard.begin(campaign, "enrich").then(({ kind }) => (third = kind));
    await clock.advance(1_000);
    expect(third).toBeUndefined();
    // One of them sent nothing: its request is left.
    const [one, two] = tickets;
    if (one?.kind === "go") one.end();
    await clock.advance(100);
    expect(third).toBe("go");
    set({ requests: 2 });
    if (two?.kind === "go") two.end();
    await waiting;
    expect((await guard.begin(campaign, "enrich")).kind).toBe("stop");
    expect(paused).toEqual(["demo"]);
  });

  test("B28: enough companies stop discovery, and what was found is visited first", async () => {
    const { guard, paused, setVisits } = setUp();
    const campaign = campaignOf("[budget]\ncompanies = 12");
    setVisits(1);
    expect(await guard.begin(campaign, "discover")).toMatchObject({
      kind: "stop",
      isKindHeld: true,
    });
    expect((await guard.begin(campaign, "enrich")).kind).toBe("go");
    expect(paused).toEqual([]);
    setVisits(0);
    expect((await guard.begin(campaign, "discover")).kind).toBe("stop");
    expect(paused).toEqual(["demo"]);
  });

  test("B28: beyond the budget a task is released and its handler does not run; other jobs continue", async () => {
    const { guard, set, paused } = setUp();
    set({ requests: 3 });
    const ran: string[] = [];
    const handler = withinBudget({
      kind: "enrich",
      run: async ({ task }: { readonly task: { readonly job: string } }) => void ran.push(task.job),
    } as never);
    const services = { campaign: async () => campaignOf("[budget]\nrequests = 3"), budget: guard };
    const run = (job: string) => {
      const task = { kind: "enrich", job, payload: { campaign: "demo" } };
      return handler.run({ task, services } as never);
    };
    expect(await run("demo")).toMatchObject({ kind: "release" });
    expect([ran, paused]).toEqual([[], ["demo"]]);
    await run("another");
    expect(ran).toEqual(["another"]);
    set({ requests: 2 });
    await run("demo");
    expect(ran).toEqual(["another", "demo"]);
  });

  test("B28: the last visit pauses a job that has enough companies, if something is left", async () => {
    const { guard, paused, set, setVisits } = setUp();
    const campaign = campaignOf("[budget]\ncompanies = 12");
    setVisits(1);
    guard.visited(campaign);
    await guard[Symbol.asyncDispose]();
    expect(paused).toEqual([]);
    setVisits(0);
    set({ pending: 0 });
    guard.visited(campaign);
    await guard[Symbol.asyncDispose]();
    expect(paused).toEqual([]);
    set({ pending: 1 });
    guard.visited(campaign);
    await guard[Symbol.asyncDispose]();
    expect(paused).toEqual(["demo"]);
  });

  test("an invalid limit is refused, with what to write", () => {
    expect(() => campaignOf("[budget]\nrequests = 0")).toThrow(/budget\.requests .*whole number/);
    expect(() => campaignOf("[budget]\nhour = 1")).toThrow(/unknown key budget\.hour/);
  });
});

describe("limit of companies", () => {
  /** Companies that several processes write; each counts what all have written. */
  function createShared() {
    const places = new Set<string>();
    const process = () =>
      createCompanyLimit({
        counted: async () => ({ count: places.size, places: new Set(places) }),
        companiesMax: async () => places.size,
        clock: createTestClock(),
      });
    const put = async (some: readonly { readonly id: string; readonly isCounted: boolean }[]) => {
      await Promise.resolve();
      for (const { id, isCounted } of some) if (isCounted) places.add(id);
    };
    return { places, process, put };
  }
  const foundIn = (tile: string, count: number, isCounted = true) =>
    Array.from({ length: count }, (_, at) => ({ id: `${tile}/${at}`, isCounted }));

  test("B28: one process never exceeds it, and a tile that is searched again continues where it was", async () => {
    const { places, process, put } = createShared();
    const limit = process();
    const write = (max: number, tile: string, count: number) =>
      limit.within(campaignOf(`[budget]\ncompanies = ${max}`), foundIn(tile, count), put);
    const tiles = ["a", "b", "c", "d"].map((tile) => write(10, tile, 3));
    expect(await Promise.all(tiles)).toEqual([3, 3, 3, 1]);
    expect(places.size).toBe(10);
    expect(await write(11, "d", 3)).toBe(2);
    expect(await write(100, "d", 3)).toBe(3);
    expect(places.size).toBe(12);
    const filtered = foundIn("e", 5, false);
    expect(await limit.within(campaignOf("[budget]\ncompanies = 12"), filtered, put)).toBe(5);
    expect(await write(10_000, "f", 200)).toBe(200);
  });

  test("B28: several processes exceed it by at most one company each", async () => {
    const { places, process, put } = createShared();
    const campaign = campaignOf("[budget]\ncompanies = 300");
    const processes = Array.from({ length: 5 }, process);
    await Promise.all(
      processes.map(async (limit, at) => {
        for (let tile = 0; tile < 3; tile += 1) {
          await limit.within(campaign, foundIn(`${at}/${tile}`, 200), put);
        }
      }),
    );
    expect(places.size).toBeGreaterThanOrEqual(300);
    expect(places.size).toBeLessThanOrEqual(300 + processes.length);
  });
});
