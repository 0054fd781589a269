/**
 * Stops a campaign when a limit of its budget is reached. Checked before each task is started, against
 * what the queue has counted for all nodes, so what a fleet spends beyond a limit is at most what its
 * tasks in flight spend. Always:
 * - a process reserves one request for each of its tasks in flight, so it alone never exceeds a limit;
 * - requests, hours and dollars pause the job in the queue: no node claims its tasks any more;
 * - companies stop discovery only, inside a tile too (`company-limit.ts`). The websites of those that
 *   were found are visited first, and the job is paused when no visit is left;
 * - a job is paused, and `onStop` told, once for each time that a limit is reached.
 */
import { sleep, type Clock } from "../../base/clock.ts";
import { createSerial } from "../../base/serial.ts";
import type { Queue } from "../../queue/index.ts";
import { done, release, type Handler, type HandlerOutcome } from "../../worker/index.ts";
import type { Campaign } from "../campaign.ts";
import { enrichKind } from "../tasks.ts";
import { budgetStanding, budgetText, type BudgetSources } from "./budget.ts";
import { budgetLimits, type BudgetStanding } from "./budget-schema.ts";
import type { CompanyCounts } from "./company-limit.ts";

/** Disposing waits for pending pauses of jobs. */
export interface BudgetGuard extends AsyncDisposable {
  /** Whether a task may start. What it has reserved is given back by `end`. */
  begin(campaign: Campaign, kind: string): Promise<BudgetTicket>;
  /** A visit has ended. If it was the last one and enough companies are found, the job is paused. */
  visited(campaign: Campaign): void;
}

export type BudgetTicket =
  | { readonly kind: "go"; readonly end: () => void }
  /** `isKindHeld`: other tasks of this kind could not start either. */
  | { readonly kind: "stop"; readonly text: string; readonly isKindHeld: boolean };

export interface BudgetServices {
  readonly campaign: (name: string) => Promise<Campaign>;
  readonly budget: BudgetGuard;
}

export interface BudgetGuardOptions {
  readonly sources: BudgetSources & Pick<CompanyCounts, "companiesMax">;
  readonly queue: Pick<Queue, "pause" | "browse">;
  readonly clock: Clock;
  readonly onStop?: (campaign: string, text: string, standing: BudgetStanding) => Promise<void>;
}

/** While more than this many requests are left, what was counted may be this old. */
const farRequests = 500;
const farMs = 1_000;
/** For requests of this process whose tasks have ended and that the queue has not counted yet. */
const waitMs = 20;
const waitsMax = 250;

export function createBudgetGuard(options: BudgetGuardOptions): BudgetGuard {
  const { sources, queue, clock, onStop } = options;
  const serial = createSerial();
  const endings = new Set<Promise<void>>();
  /** Counting companies is slow: while there are clearly fewer than the limit, an upper bound is enough. */
  const rough: BudgetSources = {
    ...sources,
    async companies(campaign) {
      const most = await sources.companiesMax(campaign);
      const max = campaign.budget?.companies ?? Infinity;
      return most * 2 < max ? most : await sources.companies(campaign);
    },
  };
  const reserved = new Map<string, number>();
  const seen = new Map<string, { readonly standing: BudgetStanding; readonly atMs: number }>();
  const reservedBy = (name: string) => reserved.get(name) ?? 0;

  async function look(campaign: Campaign): Promise<BudgetStanding | undefined> {
    const known = seen.get(campaign.name);
    const isRecent = known !== undefined && clock.monotonicMs() - known.atMs < farMs;
    if (isRecent && isFar(known.standing, campaign)) return known.standing;
    const standing = await budgetStanding(campaign, rough);
    if (standing) seen.set(campaign.name, { standing, atMs: clock.monotonicMs() });
    return standing;
  }

  async function stop(name: string, standing: BudgetStanding): Promise<BudgetTicket> {
    const text = budgetText(name, standing);
    if (standing.reached === "companies" && (await hasVisits(name))) {
      return { kind: "stop", text, isKindHeld: true };
    }
    await pause(name, text, standing);
    return { kind: "stop", text, isKindHeld: false };
  }

  const pause = (name: string, text: string, standing: BudgetStanding) =>
    serial.run(async () => {
      // Another task or process was faster.
      if ((await sources.job(name))?.isPaused !== false) return;
      // First, because after a crash in between, a paused job would be reported by nobody.
      await onStop?.(name, text, standing);
      await queue.pause(name);
    });

  async function pauseAfterVisits(campaign: Campaign): Promise<void> {
    const { name } = campaign;
    if (await hasVisits(name)) return;
    const standing = await budgetStanding(campaign, rough);
    if (!standing || standing.reached === undefined || standing.left === 0) return;
    await pause(name, budgetText(name, standing), standing);
  }

  async function hasVisits(job: string): Promise<boolean> {
    const query = { states: ["pending", "running"], kind: enrichKind, job, limit: 1 } as const;
    return (await queue.browse(query)).length > 0;
  }

  return {
    async begin(campaign, kind) {
      const { name } = campaign;
      const asked = kind === enrichKind ? withoutCompanies(campaign) : campaign;
      for (let waits = 0; ; waits++) {
        const standing = await look(asked);
        if (!standing) break;
        if (standing.reached !== undefined) return await stop(name, standing);
        if (waits >= waitsMax || requestsLeft(standing) > reservedBy(name)) break;
        await sleep(clock, waitMs);
      }
      reserved.set(name, reservedBy(name) + 1);
      let isEnded = false;
      const end = () => {
        if (!isEnded) reserved.set(name, reservedBy(name) - 1);
        isEnded = true;
      };
      return { kind: "go", end };
    },
    visited(campaign) {
      if (campaign.budget?.companies === undefined) return;
      // If this fails, the next task that asks pauses the job.
      const ending = pauseAfterVisits(campaign)
        .catch(() => {})
        .finally(() => endings.delete(ending));
      endings.add(ending);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(endings);
    },
  };
}

/** A company that was found is visited, however many there are; other limits stop visits too. */
function withoutCompanies(campaign: Campaign): Campaign {
  const { companies: _, ...budget } = campaign.budget ?? {};
  return { ...campaign, budget };
}

const requestsLeft = ({ limits }: BudgetStanding): number => {
  const one = limits.find(({ limit }) => limit === "requests");
  return one ? one.max - one.spent : Infinity;
};

/** Only if the limits are those that the campaign has now. */
const isFar = (standing: BudgetStanding, { budget }: Campaign): boolean =>
  standing.reached === undefined &&
  requestsLeft(standing) > farRequests &&
  standing.limits.length === budgetLimits.filter((limit) => budget?.[limit] !== undefined).length &&
  standing.limits.every(({ limit, max }) => budget?.[limit] === max && limit === "requests");

/** The handler, for tasks of campaigns: those with a budget are started only within it. */
export function withinBudget<Services extends BudgetServices>(
  handler: Handler<Services>,
): Handler<Services> {
  const run = handler.run as (context: never) => ReturnType<typeof handler.run>;
  return {
    ...handler,
    async run(context: Context<Services>) {
      const { task, services } = context;
      const campaign = await campaignOf(task, services);
      if (!campaign?.budget) return await run(context as never);
      const ticket = await services.budget.begin(campaign, task.kind);
      if (ticket.kind === "stop") return giveBack(ticket);
      let outcome: HandlerOutcome;
      try {
        outcome = (await run(context as never)) ?? done();
      } catch (error) {
        ticket.end();
        throw error;
      }
      if (outcome.kind === "release") {
        ticket.end();
        // It may have reached a limit itself.
        const again = await services.budget.begin(campaign, task.kind);
        if (again.kind === "stop") return giveBack(again);
        again.end();
        return outcome;
      }
      const { onStored } = outcome;
      return {
        ...outcome,
        onStored() {
          onStored?.();
          ticket.end();
          if (task.kind === enrichKind) services.budget.visited(campaign);
        },
      };
    },
  };
}

const giveBack = ({ text, isKindHeld }: Extract<BudgetTicket, { readonly kind: "stop" }>) =>
  release(text, { isKindHeld, isLacking: false });

interface Context<Services> {
  readonly task: { readonly kind: string; readonly job: string; readonly payload: unknown };
  readonly services: Services;
}

/** Whose job the task belongs to; undefined: none's. What is wrong with it, its handler tells. */
async function campaignOf(
  { job, payload }: Context<unknown>["task"],
  services: BudgetServices,
): Promise<Campaign | undefined> {
  const named = (payload as { readonly campaign?: unknown } | null)?.campaign;
  if (named !== job) return undefined;
  return await services.campaign(job).catch(() => undefined);
}
