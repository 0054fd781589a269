import * as z from "zod";
import type { Visit, VisitRequest } from "../../crawl/index.ts";
import type { TaskInput } from "../../queue/index.ts";
import { enrichKind } from "../tasks.ts";
import { packVisit } from "./pack-visit.ts";

/**
 * The tasks of a visit form a chain: each sends one request to a site, behind the gate of its host,
 * and adds the next task in the commit that ends it. The plan is in the payload, so any node can
 * continue. A request that is repeated after a crash leads to the same key, so the chain never
 * forks.
 */
export const visitSchema = z.object({
  /** Such as `company/<id>`. */
  target: z.string().min(1),
  website: z.url({ protocol: /^https?$/ }),
  campaign: z.string().optional(),
  /**
   * ISO 8601. If present, only a later visit makes this one unnecessary; if absent, any visit that
   * is still valid does.
   */
  after: z.iso.datetime().optional(),
  state: z
    .object({
      id: z.string(),
      step: z.int().min(1),
      visit: z.custom<Visit>((value) => typeof value === "object" && value !== null),
      request: z.object({
        kind: z.enum(["robots", "page", "sitemap"]),
        url: z.url(),
        priority: z.number(),
        /** For robots.txt: the origin it applies to, even if a redirect led to another one. */
        origin: z.string().optional(),
        hops: z.int().optional(),
      }),
      /** Contacts found so far: `email/…`, `phone/…`, `social/…`. */
      seen: z.array(z.string()),
      /** The time used of the limit; waiting for a free worker does not count. */
      spentMs: z.number(),
      /** The number of requests so far. Absent in tasks of older versions. */
      requests: z.int().min(0).optional(),
      /** True if https could not be used, and http is tried instead. */
      isHttpTried: z.boolean().optional(),
    })
    .optional(),
});
export type VisitPayload = z.infer<typeof visitSchema>;
export type VisitState = NonNullable<VisitPayload["state"]>;
export type StepRequest = VisitRequest & Pick<VisitState["request"], "origin" | "hops">;

/** The gate of a URL's host, the same for all kinds of tasks. */
export const gateOf = (url: string): string => new URL(url).hostname;

/**
 * Higher than that of visits that have not begun, so that a visit ends while the site is still the
 * same.
 */
const priorityUnderWay = 800;
/** Attempts for one request, including those that ended with a killed worker. */
const attemptsMax = 5;

export interface FirstTask extends Omit<VisitPayload, "state"> {
  readonly job: string;
  /** Distinguishes repeated visits: the time of the last visit, or a batch. */
  readonly round: string;
  readonly priority?: number;
}

export function firstTask({ job, round, priority, ...payload }: FirstTask): TaskInput {
  return {
    kind: enrichKind,
    job,
    gate: gateOf(payload.website),
    key: `${enrichKind} ${payload.target} ${round}`,
    payload,
    attemptsMax,
    ...(priority === undefined ? {} : { priority }),
  };
}

export function nextTask(job: string, payload: VisitPayload & { state: VisitState }): TaskInput {
  const { id, step, request, visit } = payload.state;
  return {
    kind: enrichKind,
    job,
    gate: gateOf(request.url),
    key: `${id} #${step}`,
    payload: { ...payload, state: { ...payload.state, visit: packVisit(visit) } },
    priority: priorityUnderWay,
    attemptsMax,
  };
}
