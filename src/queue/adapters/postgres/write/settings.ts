import { applyOne } from "../../../model/apply.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Answer, Operation } from "../../../operation.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import { jobColumns, lockGates, lockLanes, uncounted, type JobSettingsRow } from "../rows/rows.ts";
import { createLockedSlice } from "./slice.ts";
import { writeSlice } from "./write-slice.ts";

type GateOperation = Extract<Operation, { readonly op: "block" | "setGate" }>;
type JobOperation = Extract<
  Operation,
  { readonly op: "openJob" | "seal" | "pause" | "resume" | "cancel" }
>;

export async function applyToGate(
  session: PostgresSession,
  operation: GateOperation,
  now: ModelNow,
  counts: Counts,
): Promise<Answer<Operation>> {
  const gates = await lockGates(session, [operation.gate]);
  await lockLanes(session, { gates: [operation.gate], ids: [] });
  const slice = createLockedSlice({ now, gates, lockedGates: new Set([operation.gate]) });
  const answer = applyOne(slice.draft, operation);
  await writeSlice(session, slice, counts);
  return answer;
}

/** Waits for all transactions that add to the job. The sweep skips the tasks of a cancelled job. */
export async function applyToJob(
  session: PostgresSession,
  operation: JobOperation,
  now: ModelNow,
  counts: Counts,
): Promise<Answer<Operation>> {
  const jobs = await session.query<JobSettingsRow>(
    `select ${jobColumns} from @job j where j.name = $1 for update`,
    [operation.job],
  );
  const slice = createLockedSlice({ now, jobs: jobs.map(uncounted) });
  const answer = applyOne(slice.draft, operation);
  await writeSlice(session, slice, counts);
  return answer;
}

/**
 * The only place where a job completes, so that it completes once: it is sealed, and no task is
 * pending or running. Every seal or finish checks after its own commit, so the last one sees the
 * final state.
 */
export async function completeJobs(
  db: PostgresSession,
  inTransaction: <T>(work: (session: PostgresSession) => Promise<T>) => Promise<T>,
  names: readonly string[] | "all",
  now: (session: PostgresSession) => Promise<ModelNow>,
): Promise<boolean> {
  if (names !== "all" && names.length === 0) return false;
  const isEmpty = `(select coalesce(sum(c.pending + c.running), 0) from @job_counter c
    where c.job = j.name) = 0`;
  const found = await db.query<{ name: string }>(
    `select j.name from @job j where j.is_sealed and j.ended is null
       and ($1::text[] is null or j.name = any($1::text[])) and ${isEmpty}`,
    [names === "all" ? null : names],
  );
  if (found.length === 0) return false;
  await inTransaction(async (session) => {
    const wanted = found.map(({ name }) => name);
    await session.query(
      "select 1 from @job where name = any($1::text[]) order by name for update",
      [wanted],
    );
    const { ms } = await now(session);
    await session.query(
      `update @job j set ended = 'completed', ended_at = $2, completions = j.completions + 1
       where j.name = any($1::text[]) and j.is_sealed and j.ended is null and ${isEmpty}`,
      [wanted, ms],
    );
  });
  return true;
}
