import type { Database } from "better-sqlite3";
import { isClaimable, type Job } from "../../../job.ts";
import type { CounterDrift } from "../../../queue-store.ts";
import type { SourcePage, RankedItem } from "./sorted-merge.ts";
import { statement } from "../connection/statement.ts";

/**
 * One row for each kind × job that has an open lane with a ready task: the best of these lanes, and
 * the job's `served`. So a claim finds the next job, however many jobs there are. The table is
 * derived from lanes and jobs, and is written right after them.
 */
export interface Turns {
  /** Call when lanes of this kind and job changed. */
  write(kind: string, job: string, row: Job | undefined): void;
  writeJob(job: Job): void;
}

export function createTurns(db: Database): Turns {
  const readBest = db.prepare(
    `select top, head from lane where job = ? and kind = ? and is_open = 1 and ready > 0
     order by top desc, head limit 1`,
  );
  const put = db.prepare(
    `insert into turn (kind, job, top, head, served, is_claimable) values (?, ?, ?, ?, ?, ?)
     on conflict do update set top = excluded.top, head = excluded.head,
       served = excluded.served, is_claimable = excluded.is_claimable
     where (top, head, served, is_claimable)
       is not (excluded.top, excluded.head, excluded.served, excluded.is_claimable)`,
  );
  const drop = db.prepare("delete from turn where job = ? and kind = ?");
  const putJob = db.prepare(
    `update turn set served = @served, is_claimable = @isClaimable
     where job = @name and (served <> @served or is_claimable <> @isClaimable)`,
  );

  return {
    write(kind, job, row) {
      const best = readBest.get(job, kind) as { top: number; head: number } | undefined;
      if (best && row) {
        put.run(kind, job, best.top, best.head, row.served, isClaimable(row) ? 1 : 0);
      } else drop.run(job, kind);
    },
    writeJob(job) {
      const { name, served } = job;
      putJob.run({ name, served, isClaimable: isClaimable(job) ? 1 : 0 });
    },
  };
}

/** The next jobs to be served, as last written. */
export function readTurns(
  db: Database,
  kind: string,
  { limit, offset }: SourcePage,
): readonly RankedItem<string>[] {
  const found = statement(
    db,
    `select job, top, served, head from turn where kind = ? and is_claimable = 1
     order by top desc, served, head limit ? offset ?`,
  )
    .raw()
    .all(kind, limit, offset) as [job: string, top: number, served: number, head: number][];
  return found.map(([job, top, served, head]) => ({ item: job, rank: [-top, served, head] }));
}

/** What the table must contain. */
const actualTurns = `
  select kind, job, top, head, served, is_claimable from (
    select lane.kind, lane.job, lane.top, lane.head, job.served,
      (job.is_paused = 0 and job.ended is null
        and (job.concurrency is null or job.slots < job.concurrency)) as is_claimable,
      row_number() over (partition by lane.job, lane.kind order by lane.top desc, lane.head) as place
    from lane join job on job.name = lane.job where lane.is_open = 1 and lane.ready > 0)
  where place = 1`;

/** Call after lanes or jobs were changed without `Rows`. */
export function rebuildTurns(db: Database): void {
  statement(db, "delete from turn").run();
  statement(
    db,
    `insert into turn (kind, job, top, head, served, is_claimable) ${actualTurns}`,
  ).run();
}

/** Compares the table with lanes and jobs, which must be correct. */
export function findTurnDrift(db: Database): readonly CounterDrift[] {
  const counter = (column: string) => `'turn ' || kind || '/' || job || ' ${column}'`;
  const columns = ["top", "head", "served", "is_claimable"].map(
    (column) =>
      `select ${counter(column)} as counter, turn.${column} as counted, actual.${column} as actual
       from turn join actual using (kind, job) where turn.${column} <> actual.${column}`,
  );
  const missing = `select ${counter("rows")} as counter, 0 as counted, 1 as actual
    from actual where (kind, job) not in (select kind, job from turn)`;
  const surplus = `select ${counter("rows")} as counter, 1 as counted, 0 as actual
    from turn where (kind, job) not in (select kind, job from actual)`;
  return statement(
    db,
    `with actual as materialized (${actualTurns})
     ${[missing, surplus, ...columns].join(" union all ")}`,
  ).all() as CounterDrift[];
}
