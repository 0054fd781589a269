import { stateLists } from "../../../row-state.ts";
import type { Claim } from "../../../operation.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import {
  momentColumns,
  momentValues,
  withMoment,
  type Moment,
  type MomentRow,
} from "../connection/moment.ts";

/** What a claim must know before it starts, all as of one moment. */
export interface Needs extends MomentRow {
  /** If this request is a repeat, the token of the first claim; else null. */
  readonly repeats: number | null;
  readonly holdsAny: boolean;
  readonly holdsSuspect: boolean;
  readonly hasExpired: boolean;
  readonly hasRest: boolean;
  readonly hasForgotten: boolean;
  readonly hasComplete: boolean;
  readonly hasDue: boolean;
  readonly hasOpening: boolean;
  /** The latest due time of any task that was made ready. */
  readonly readyDue: number;
  /** True if some maintenance must be done before the claim. */
  readonly isAny: boolean;
}

/** Claims are deleted this long after they could be, so that many are deleted at once. */
const forgetAfterMs = 60_000;

export async function readNeeds(
  session: PostgresSession,
  { requestId, worker }: Claim,
  { moment, looksForComplete }: { readonly moment: Moment; readonly looksForComplete: boolean },
): Promise<Needs> {
  return queryOne<Needs>(session, `${withNeeds} select *, ${isAnyNeed} as "isAny" from needs`, [
    ...momentValues(moment),
    requestId,
    worker,
    looksForComplete,
  ]);
}

/** SQL over the columns of `needs`. */
export const isAnyNeed = `("hasExpired" or "hasRest" or "hasForgotten" or "hasComplete" or "hasDue"
  or "hasOpening" or "readyDue" > wall)`;

/**
 * SQL for the table `needs`, as of one moment; $3 to $5 are the request's id, its worker, and
 * `looksForComplete`.
 */
export const withNeeds = `${withMoment}, needs as materialized (
  select ${momentColumns},
    (select token from @claim where request_id = $3 and worker = $4
      and (is_open or made_at + lease_ms > moment.ms) order by token limit 1) as repeats,
    exists (select 1 from @claim where worker = $4 and is_open) as "holdsAny",
    exists (select 1 from @claim where worker = $4 and is_open and has_suspect) as "holdsSuspect",
    exists (select 1 from @claim where is_open and expires_at <= moment.ms) as "hasExpired",
    exists (select 1 from @job j where j.has_rest and (select coalesce(sum(c.pending), 0)
      from @job_counter c where c.job = j.name) > 0) as "hasRest",
    exists (select 1 from @claim where not is_open and made_at < moment.ms - ${forgetAfterMs}
      and made_at + lease_ms < moment.ms - ${forgetAfterMs}) as "hasForgotten",
    $5::bool and exists (select 1 from @job j where j.is_sealed and j.ended is null
      and (select coalesce(sum(c.pending + c.running), 0) from @job_counter c
        where c.job = j.name) = 0) as "hasComplete",
    exists (select 1 from @task where state in ${stateLists.dueLater} and due_at <= moment.wall) as "hasDue",
    exists (select 1 from @gate where not is_open and has_room and open_from <= moment.ms)
      as "hasOpening",
    coalesce((select max(ready_due) from @tally), 0) as "readyDue"
  from moment)`;
