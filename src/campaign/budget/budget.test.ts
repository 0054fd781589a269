import { describe, expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { Job } from "../../queue/index.ts";
import { parseCampaign } from "../parse-campaign.ts";
import { budgetStanding, budgetText, type BudgetSources } from "./budget.ts";
import { createBudgetGuard, withinBudget } from "./budget-guard.ts";

const campaignOf = (budget: string) =>
  parseCampaign(
    "demo",
    "config.toml",
    `phrases = ["plumber"]\n[[locations]]\nname = "x"\nlat = 1\nlon = 1\n${budget}`,
  );

function setUp(more: Partial<BudgetSources> = {}) {
  let job = { name: "demo", openedAtMs: 1_000, requests: 0, pending: 5, running: 0 } as Job;
  const paused: string[] = [];
  let visits = 0;
  const clock = createTestClock();
  const sources: BudgetSources = {
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
        return "ok" as const;
      },
      browse: async () => (visits > 0 ? ([{}] as never) : []),
    },
    clock,
  });
  return {
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
    expect(await budgetStanding(campaignOf(""), sources)).toBeUndefined();
    set({ requests: 40, commitRequests: 50 });
    const all = campaignOf("[budget]\nrequests = 41\nhours = 2.5\ndollars = 0.31\ncompanies = 13");
    expect(await budgetStanding(all, sources)).toEqual({
      state: "within",
      limits: [
        { limit: "requests", max: 41, spent: 40 },
        { limit: "hours", max: 2.5, spent: 2 },
        { limit: "dollars", max: 0.31, spent: 0.3 },
        { limit: "companies", max: 13, spent: 12 },
      ],
    });
    for (const reached of ["requests = 40", "hours = 2", "dollars = 0.3", "companies = 12"]) {
      const standing = await budgetStanding(campaignOf(`[budget]\n${reached}`), sources);
      expect(standing).toMatchObject({ state: "budget", reached: reached.split(" ")[0] });
      expect(budgetText("demo", standing!)).toContain("forager campaign set demo budget.");
    }
    set({ pending: 0 });
    const done = await budgetStanding(campaignOf("[budget]\nrequests = 40"), sources);
    expect(done).toMatchObject({ state: "within", reached: "requests" });
  });

  test("B28: a reached limit pauses the job, and other tasks of the kind go on", async () => {
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

  test("B28: beyond the budget a task is given back and its handler does not run; other jobs go on", async () => {
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

  test("what is no limit is refused with what to write", () => {
    expect(() => campaignOf("[budget]\nrequests = 0")).toThrow(/budget\.requests .*whole number/);
    expect(() => campaignOf("[budget]\nhour = 1")).toThrow(/unknown key budget\.hour/);
  });
});
