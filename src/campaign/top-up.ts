/**
 * A queue in a bucket holds a limited number of tasks. A campaign with more targets is dispatched
 * in passes: one task of the kind `dispatch` is reserved before the first target is added. Any node
 * runs it when other tasks of the campaign have ended, and it adds as many targets as fit. If a
 * pass leaves targets out, another one follows.
 */
import * as z from "zod";
import type { TaskInput } from "../queue/index.ts";
import { defineHandler, done, fail, type Handler } from "../worker/index.ts";
import type { Dispatched } from "./dispatch.ts";
import { releaseIfLacking } from "./lacking.ts";

/** Adds tasks for the targets of a campaign that did not fit into the queue before. */
export const topUpKind = "dispatch";

export const topUpSchema = z.object({
  campaign: z.string(),
  /** Identifies the dispatch that started the passes, so that each pass has a unique key. */
  round: z.string().min(1),
  pass: z.int().min(1),
  /** Whether targets with an outdated witness are due too. */
  isRematch: z.boolean().default(false),
  /** Nothing is added while at least this many tasks of the campaign are pending. */
  pendingMax: z.int().min(0).default(0),
});
export type TopUpPayload = z.output<typeof topUpSchema>;

export interface TopUpServices {
  /** Pending tasks of the campaign, of every kind. */
  readonly pendingOf: (campaign: string) => Promise<number>;
  /** Adds the targets that are due. Safe to repeat. */
  readonly dispatchDue: (
    payload: Pick<TopUpPayload, "campaign" | "isRematch">,
    signal: AbortSignal,
  ) => Promise<Dispatched>;
}

/** Just below the priority of tiles, so that it is claimed after them. */
const topUpPriority = 299;
/** At 10 s per pass, more than a week. */
const passesMax = 100_000;
const nextPassMs = 10_000;

export const topUpTask = (
  payload: Pick<TopUpPayload, "campaign" | "round" | "pass"> & Partial<TopUpPayload>,
  { delayMs = 0 }: { readonly delayMs?: number } = {},
): TaskInput => ({
  kind: topUpKind,
  job: payload.campaign,
  key: `${topUpKind} ${payload.round} ${payload.pass}`,
  priority: topUpPriority,
  payload,
  ...(delayMs > 0 && { delayMs }),
});

export function createTopUpHandler({
  delayMs = nextPassMs,
}: { readonly delayMs?: number } = {}): Handler<TopUpServices> {
  return defineHandler<TopUpPayload, TopUpServices>(
    topUpKind,
    topUpSchema,
    ({ task: { payload }, services, signal }) =>
      releaseIfLacking(async () => {
        const { campaign, pass, pendingMax } = payload;
        if (pass > passesMax) return fail(`campaign ${campaign} is not done after ${pass} passes`);
        const next = (waiting: number) => [
          topUpTask({ ...payload, pass: pass + 1, pendingMax: waiting }, { delayMs }),
        ];
        const pending = await services.pendingOf(campaign);
        if (pendingMax > 0 && pending >= pendingMax) {
          return done({ added: 0, pending }, { add: next(pendingMax) });
        }
        const { added, full } = await services.dispatchDue(payload, signal);
        if (full === 0) return done({ added, left: 0 });
        // Wait until half of these tasks have ended: a pass costs requests, so a little room is not
        // worth one.
        const room = Math.max(1, Math.ceil((await services.pendingOf(campaign)) / 2));
        return done({ added, left: full }, { add: next(room) });
      }),
    { timeoutMs: 3_600_000 },
  );
}
