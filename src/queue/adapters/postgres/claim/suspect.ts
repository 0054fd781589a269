import { taskStates } from "../../../row-state.ts";
import type { Claim } from "../../../operation.ts";
import type { ClaimJob, ClaimState, PostgresLanePick } from "./claim-rows.ts";
import type { PostgresSession } from "../connection/database.ts";
import { momentValues, withMoment, type Moment } from "../connection/moment.ts";

export interface Suspect {
  readonly id: number;
  readonly lane: number;
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  readonly concurrency: number | null;
  readonly slots: number;
  readonly served: number;
}

/** If another worker takes a suspect first, the next best one is tried. */
export const suspectsMax = 5;

export const suspectJobs = (suspects: readonly Suspect[]): readonly ClaimJob[] =>
  suspects.map(({ job, concurrency, slots, served }) => ({
    name: job,
    concurrency,
    slots,
    served,
  }));

/** Takes the best suspect that is not locked by another transaction. */
export async function takeSuspect(
  claimState: ClaimState,
  suspects: readonly Suspect[],
): Promise<PostgresLanePick | undefined> {
  for (const { id, lane: laneId, kind, job, gate } of suspects) {
    const lane = { id: laneId, kind, job, gate };
    const [task] =
      (await claimState.load({ lanes: [lane], size: 1, suspect: id })).get(laneId) ?? [];
    if (task) return { lane, tasks: [task], slots: 1, pace: claimState.enter(lane, 1, 1) };
  }
  return undefined;
}

/** The best suspects that may run now. */
export const readSuspects = (
  session: PostgresSession,
  { kinds }: Claim,
  moment: Moment,
): Promise<readonly Suspect[]> =>
  session.query(
    `${withMoment}
     select t.id, t.lane, l.kind, l.job, l.gate, j.concurrency, c.slots, c.served
     from @task t cross join moment join @lane l on l.id = t.lane join @job j on j.name = l.job
     left join @gate g on g.name = l.gate
     cross join lateral (select coalesce(sum(k.slots), 0)::bigint as slots,
       coalesce(max(k.served), 0)::bigint as served from @job_counter k where k.job = j.name) c
     where t.state = ${taskStates.suspect} and l.kind = any($3::text[]) and j.ended is null and not j.is_paused
       and (j.concurrency is null or j.concurrency > c.slots)
       and (l.gate = '' or (g.has_room and g.open_from <= moment.ms))
     order by t.priority desc, t.id limit ${suspectsMax}`,
    [...momentValues(moment), kinds],
  );
