import * as z from "zod";
import type { Visit, VisitRequest } from "../../crawl/index.ts";
import type { TaskInput } from "../../queue/index.ts";
import { enrichKind } from "../tasks.ts";
import { packVisit } from "./pack-visit.ts";

/**
 * The tasks of a visit are a chain: each asks a site for one thing, behind the gate of its host,
 * and stores the next one together with its own end. The plan travels in the payload, so any node
 * can go on. What is asked for twice, after a crash, has the same key twice: the chain never forks.
 */
export const visitSchema = z.object({
  /** `company/<id>` */
  target: z.string().min(1),
  website: z.url({ protocol: /^https?$/ }),
  campaign: z.string().optional(),
  /** ISO 8601. Absent: a visit that still counts makes this one needless; else only a later one. */
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
        /** Of robots.txt: in whose name it is read, wherever it lies. */
        origin: z.string().optional(),
        hops: z.int().optional(),
      }),
      /** Contacts that were seen so far: `email/…`, `phone/…`, `social/…`. */
      seen: z.array(z.string()),
      /** Of the time it may take: waiting for a free worker does not count. */
      spentMs: z.number(),
      /** Made so far. Absent in tasks of older versions. */
      requests: z.int().min(0).optional(),
      /** It has no TLS, and http is tried instead. */
      isHttpTried: z.boolean().optional(),
    })
    .optional(),
});
export type VisitPayload = z.infer<typeof visitSchema>;
export type VisitState = NonNullable<VisitPayload["state"]>;
export type StepRequest = VisitRequest & Pick<VisitState["request"], "origin" | "hops">;

/** What paces a host, whoever visits it. */
export const gateOf = (url: string): string => new URL(url).hostname;

/** Before visits that have not begun, so that one that has ends while its site is as it was. */
const priorityUnderWay = 800;
/** Of one request, with those that a killed worker had begun. */
const attemptsMax = 5;

export interface FirstTask extends Omit<VisitPayload, "state"> {
  readonly job: string;
  /** Tells the rounds apart: the last visit's moment, or a batch. */
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
