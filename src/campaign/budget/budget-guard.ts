/**
 * Stops a campaign when a limit of its budget is reached. The budget is checked before each task
 * starts, against the counts of all nodes in the queue. So a fleet exceeds a limit by at most what
 * its tasks in flight use. Invariants:
 * - a process reserves one request for each of its tasks in flight, so one process alone never
 *   exceeds a limit;
 * - at the limit of requests, hours or dollars the job is paused in the queue: no node claims its
 *   tasks;
 * - the limit of companies stops only discovery, also inside a tile (`company-limit.ts`). The
 *   websites of the companies found so far are still visited, and the job is paused when no visit
 *   is left;
 * - each time that a limit is reached, the job is paused once and `onStop` is called once.
 */
import { sleep, type Clock } from "../../base/clock.ts";
import { createSerial } from "../../base/serial.ts";
import type { Queue } from "../../queue/index.ts";
import { done, release, type Handler, type HandlerOutcome } from "../../worker/index.ts";
import type { Campaign } from "../campaign.ts";
import { enrichKind } from "../tasks.ts";
import { budgetStatus, budgetText, type BudgetSources } from "./budget.ts";
import { budgetLimits, type BudgetStatus } from "./budget-schema.ts";
import type { CompanyCounts } from "./company-limit.ts";

/** Disposing it waits for jobs that are being paused. */
export interface BudgetGuard extends AsyncDisposable {
  /** Whether a task may start. `end` of the ticket releases the reservation. */
  begin(campaign: Campaign, kind: string): Promise<BudgetTicket>;
  /**
   * Call it when a visit has ended. If no visit is left and enough companies are found, the job is
   * paused.
   */
  visited(campaign: Campaign): void;
}

export type BudgetTicket =
  | { readonly kind: "go"; readonly end: () => void }
  /** `isKindHeld`: no other task of this kind may start either. */
  | { readonly kind: "stop"; readonly text: string; readonly isKindHeld: boolean };

export interface BudgetServices {
  readonly campaign: (name: string) => Promise<Campaign>;
  readonly budget: BudgetGuard;
}

export interface BudgetGuardOptions {
  readonly sources: BudgetSources & Pick<CompanyCounts, "companiesMax">;
  readonly queue: Pick<Queue, "pause" | "browse">;
  readonly clock: Clock;
  readonly onStop?: (campaign: string, text: string, status: BudgetStatus) => Promise<void>;
}

/** While more than this many requests are left, an older count is used. */
const farRequests = 500;
const farMs = 1_000;
/**
 * How long to wait until the queue has counted the requests of this process's tasks that have
 * ended.
 */
const waitMs = 20;
const waitsMax = 250;

export function createBudgetGuard(options: BudgetGuardOptions): BudgetGuard {
  const { sources, queue, clock, onStop } = options;
  const serial = createSerial();
  const endings = new Set<Promise<void>>();
  /**
   * Counting companies is slow. While there are clearly fewer than the limit, an upper bound is
   * enough.
   */
  const rough: BudgetSources = {
    ...sources,
    async companies(campaign) {
      const most = await sources.companiesMax(campaign);
      const max = campaign.budget?.companies ?? Infinity;
      return most * 2 < max ? most : await sources.companies(campaign);
    },
  };
  const reserved = new Map<string, number>();
  const seen = new Map<string, { readonly status: BudgetStatus; readonly atMs: number }>();
  const reservedBy = (name: string) => reserved.get(name) ?? 0;

  async function look(campaign: Campaign): Promise<BudgetStatus | undefined> {
    const known = seen.get(campaign.name);
    const isRecent = known !== undefined && clock.monotonicMs() - known.atMs < farMs;
    if (isRecent && isFar(known.status, campaign)) return known.status;
    const status = await budgetStatus(campaign, rough);
    if (status) seen.set(campaign.name, { status, atMs: clock.monotonicMs() });
    return status;
  }

  async function stop(name: string, status: BudgetStatus): Promise<BudgetTicket> {
    const text = budgetText(name, status);
    if (status.reached === "companies" && (await hasVisits(name))) {
      return { kind: "stop", text, isKindHeld: true };
    }
    await pause(name, text, status);
    return { kind: "stop", text, isKindHeld: false };
  }

  const pause = (name: string, text: string, status: BudgetStatus) =>
    serial.run(async () => {
      // Another task or process has paused it already.
      if ((await sources.job(name))?.isPaused !== false) return;
      // Called before the pause: if the process crashes in between, no other process would report a
      // job that is already paused.
      await onStop?.(name, text, status);
      await queue.pause(name);
    });

  async function pauseAfterVisits(campaign: Campaign): Promise<void> {
    const { name } = campaign;
    if (await hasVisits(name)) return;
    const status = await budgetStatus(campaign, rough);
    if (!status || status.reached === undefined || status.left === 0) return;
    await pause(name, budgetText(name, status), status);
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
        const status = await look(asked);
        if (!status) break;
        if (status.reached !== undefined) return await stop(name, status);
        if (waits >= waitsMax || requestsLeft(status) > reservedBy(name)) break;
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
      // If this fails, the next task that calls `begin` pauses the job.
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

/** The limit of companies does not stop visits; the other limits do. */
function withoutCompanies(campaign: Campaign): Campaign {
  const { companies: _, ...budget } = campaign.budget ?? {};
  return { ...campaign, budget };
}

const requestsLeft = ({ limits }: BudgetStatus): number => {
  const one = limits.find(({ limit }) => limit === "requests");
  return one ? one.max - one.spent : Infinity;
};

/** Only for a standing that was computed with the current limits. */
const isFar = (status: BudgetStatus, { budget }: Campaign): boolean =>
  status.reached === undefined &&
  requestsLeft(status) > farRequests &&
  status.limits.length === budgetLimits.filter((limit) => budget?.[limit] !== undefined).length &&
  status.limits.every(({ limit, max }) => budget?.[limit] === max && limit === "requests");

/** Wraps a handler: a task of a campaign with a budget starts only if the budget allows it. */
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
        // This task may have reached a limit itself.
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

/**
 * The campaign of the task's job; undefined if there is none. Errors in the payload are left to the
 * task's handler.
 */
async function campaignOf(
  { job, payload }: Context<unknown>["task"],
  services: BudgetServices,
): Promise<Campaign | undefined> {
  const named = (payload as { readonly campaign?: unknown } | null)?.campaign;
  if (named !== job) return undefined;
  return await services.campaign(job).catch(() => undefined);
}
