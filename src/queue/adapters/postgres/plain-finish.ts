import type { Finish, FinishAll, Held } from "../../operation.ts";
import type { Counts } from "./counts.ts";
import type { Session } from "./database.ts";
import type { AppliedGroup, Grouped } from "./group.ts";
import { momentValues, withMoment, type Moment } from "./moment.ts";

/**
 * Tasks without a gate that are just done are nearly all of a busy queue: they end with one
 * statement for each claim. What it does not find still held, and a cancelled job with tasks at
 * work, needs a closer look: then nothing is written, and undefined is the answer.
 */
export async function finishPlain(
  session: Session,
  operations: readonly FinishAll[],
  { moment, counts }: { readonly moment: Moment; readonly counts: Counts },
): Promise<AppliedGroup | undefined> {
  const finishes = operations.flatMap((operation) => operation.finishes);
  const byToken = new Map<number, Finish[]>();
  for (const one of finishes) {
    const known = byToken.get(one.token);
    if (known) known.push(one);
    else byToken.set(one.token, [one]);
  }
  const sent = [...byToken].map(async ([token, own]) => {
    const results = own.map(({ outcome }) => (outcome.kind === "done" ? outcome.result : null));
    const rows = await session.query<EndedRow>(endSql, [
      ...momentValues(moment),
      token,
      own.map(({ id }) => id),
      results.every((result) => result === null) ? null : results,
    ]);
    return rows.map((row) => ({ ...row, token }));
  });
  const ended = (await Promise.all(sent)).flat();
  const count = ended.reduce((sum, row) => sum + row.count, 0);
  if (count < finishes.length) return undefined;
  const tokens = new Map<number, number>();
  for (const { lane, token, job, count: done } of ended) {
    counts.move({ id: lane, job, gate: "" }, "running", "done", done);
    counts.job(job, "slots", -done);
    tokens.set(token, (tokens.get(token) ?? 0) + done);
  }
  leaveClaims(session, tokens);
  return {
    answers: operations.map((operation) => operation.finishes.map(() => held)),
    jobs: [...new Set(ended.map(({ job }) => job))],
    mayWake: ended.some(({ concurrency }) => concurrency !== null),
  };
}

/** Of these jobs those that may be complete now; asked for once the finish is committed. */
export const readSealed = (
  session: Pick<Session, "query">,
  jobs: readonly string[],
): Promise<readonly { readonly name: string }[]> =>
  jobs.length === 0
    ? Promise.resolve([])
    : session.query(
        "select name from @job where name = any($1::text[]) and is_sealed and ended is null",
        [jobs],
      );

const held: Held = { status: "held" };

export const isPlain = (group: readonly Grouped[]): group is readonly FinishAll[] => {
  const seen = new Set<number>();
  const isPlainOne = (one: Finish) =>
    one.outcome.kind === "done" && !one.add && !one.raise && !seen.has(one.id) && seen.add(one.id);
  return group.every(
    (operation) => operation.op === "finish" && operation.finishes.every(isPlainOne),
  );
};

interface EndedRow {
  readonly lane: number;
  readonly job: string;
  readonly concurrency: number | null;
  readonly count: number;
}

/** By id alone, in its order: no statistics can lead a planner to look at other tasks. */
const endSql = `${withMoment}, ended as (
    update @task t set state = 5, finished_at = (select ms from moment), expires_at = 0,
      result = case when $5::text[] is null then null
        else ($5::text[])[array_position($4::bigint[], t.id)] end
    where t.id = any($4::bigint[]) and t.token = $3 and t.state = 4
      and not exists (select 1 from @job where has_rest)
    returning t.lane)
  select e.lane, l.job, j.concurrency, e.count
  from (select lane, count(*)::int as count from ended group by lane) e
  join @lane l on l.id = e.lane join @job j on j.name = l.job`;

function leaveClaims(session: Session, left: ReadonlyMap<number, number>): void {
  const tokens = [...left.keys()].sort((a, b) => a - b);
  if (tokens.length > 1) {
    session.send("select 1 from @claim where token = any($1) order by token for update", [tokens]);
  }
  session.send(
    `update @claim c set open = c.open - u.count, is_open = c.open - u.count > 0
     from unnest($1::bigint[], $2::int[]) as u (token, count) where c.token = u.token`,
    [tokens, tokens.map((token) => left.get(token))],
  );
}
