import type { PostgresSession } from "../connection/database.ts";
import { jobCounter, stateNames, type StateName } from "../../../row-state.ts";

/**
 * The changes of the counters in a transaction; written last, in the same order by all
 * transactions.
 */
export interface Counts {
  /** A task moves from one state to another, is created, or is purged. */
  move(
    lane: CountedLane,
    from: StateName | undefined,
    to: StateName | undefined,
    by?: number,
  ): void;
  /** Changes a counter of a job that `move` does not count. */
  job(name: string, counter: "slots" | "added" | "overBudget" | "requests", by: number): void;
  served(job: string, turn: number): void;
  purged(lane: CountedLane, from: StateName): void;
  wait(kind: string, bucket: number): void;
  raises(raised: number, unchanged: number): void;
  /** A task that was due at this time was made ready. */
  readyDue(dueAtMs: number): void;
  write(session: PostgresSession): void;
}

/** What is needed to know of a lane to count its tasks. */
export interface CountedLane {
  readonly id: number;
  readonly job: string;
  readonly gate: string;
}

const jobCounters = [
  "slots",
  "added",
  "overBudget",
  "pending",
  "running",
  "done",
  "skipped",
  "failed",
  "served",
  "requests",
] as const;
type JobCounter = (typeof jobCounters)[number];

export function createCounts(stripe: number): Counts {
  const jobs = new Map<string, Record<JobCounter, number>>();
  const lanes = new Map<number, Record<StateName, number> & { stripe: number }>();
  const waits = new Map<string, Map<number, number>>();
  const tally = { raised: 0, unchanged: 0, readyDue: 0 };

  const jobOf = (name: string) => {
    let counts = jobs.get(name);
    if (!counts) {
      counts = Object.fromEntries(jobCounters.map((counter) => [counter, 0])) as never;
      jobs.set(name, counts!);
    }
    return counts!;
  };
  const laneOf = ({ id, gate }: CountedLane) => {
    let counts = lanes.get(id);
    if (!counts) {
      const zeros = Object.fromEntries(stateNames.map((state) => [state, 0]));
      // A transaction that works on a lane with a gate has locked the gate or the lane, so it needs
      // no stripe.
      counts = { ...(zeros as Record<StateName, number>), stripe: gate === "" ? stripe : 0 };
      lanes.set(id, counts);
    }
    return counts;
  };

  return {
    move(lane, from, to, by = 1) {
      const laneCounts = laneOf(lane);
      const jobCounts = jobOf(lane.job);
      if (from) {
        laneCounts[from] -= by;
        jobCounts[jobCounter(from)] -= by;
      }
      if (to) {
        laneCounts[to] += by;
        jobCounts[jobCounter(to)] += by;
      }
    },
    purged(lane, from) {
      // The job still counts tasks that are purged.
      laneOf(lane)[from] -= 1;
    },
    job(name, counter, by) {
      jobOf(name)[counter] += by;
    },
    served(job, turn) {
      const counts = jobOf(job);
      counts.served = Math.max(counts.served, turn);
    },
    wait(kind, bucket) {
      let buckets = waits.get(kind);
      if (!buckets) waits.set(kind, (buckets = new Map()));
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    },
    raises(raised, unchanged) {
      tally.raised += raised;
      tally.unchanged += unchanged;
    },
    readyDue(dueAtMs) {
      tally.readyDue = Math.max(tally.readyDue, dueAtMs);
    },
    write(session) {
      writeJobs(session);
      writeLanes(session);
      writeWaits(session);
      writeTally(session);
    },
  };

  function writeJobs(session: PostgresSession): void {
    const changed = [...jobs].filter(([, counts]) => isAny(counts));
    if (changed.length === 0) return;
    session.send(
      `insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running,
         done, skipped, failed, served, requests)
       select job, $2::int, slots, added, over_budget, pending, running, done, skipped, failed,
         served, requests
       from unnest($1::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
         $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
         as u (job, slots, added, over_budget, pending, running, done, skipped, failed, served,
           requests)
       order by job collate "C"
       on conflict (job, stripe) do update set slots = c.slots + excluded.slots,
         added = c.added + excluded.added, over_budget = c.over_budget + excluded.over_budget,
         pending = c.pending + excluded.pending, running = c.running + excluded.running,
         done = c.done + excluded.done, skipped = c.skipped + excluded.skipped,
         failed = c.failed + excluded.failed, served = greatest(c.served, excluded.served),
         requests = c.requests + excluded.requests`,
      [
        changed.map(([name]) => name),
        stripe,
        ...jobCounters.map((counter) => changed.map(([, counts]) => counts[counter])),
      ],
    );
  }

  function writeLanes(session: PostgresSession): void {
    const changed = [...lanes].filter(([, counts]) =>
      stateNames.some((state) => counts[state] !== 0),
    );
    if (changed.length === 0) return;
    session.send(
      `insert into @lane_counter as c (lane, stripe, ready, scheduled, backoff, suspect, running,
         done, skipped, failed)
       select * from unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[],
         $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
         as u (lane, stripe, ready, scheduled, backoff, suspect, running, done, skipped, failed)
       order by lane, stripe
       on conflict (lane, stripe) do update set ready = c.ready + excluded.ready,
         scheduled = c.scheduled + excluded.scheduled, backoff = c.backoff + excluded.backoff,
         suspect = c.suspect + excluded.suspect, running = c.running + excluded.running,
         done = c.done + excluded.done, skipped = c.skipped + excluded.skipped,
         failed = c.failed + excluded.failed`,
      [
        changed.map(([id]) => id),
        changed.map(([, counts]) => counts.stripe),
        ...stateNames.map((state) => changed.map(([, counts]) => counts[state])),
      ],
    );
  }

  function writeWaits(session: PostgresSession): void {
    const rows = [...waits].flatMap(([kind, buckets]) =>
      [...buckets].map(([bucket, count]) => ({ kind, bucket, count })),
    );
    if (rows.length === 0) return;
    session.send(
      `insert into @wait as w (kind, bucket, stripe, count)
       select kind, bucket, $4::int, count
       from unnest($1::text[], $2::int[], $3::bigint[]) as u (kind, bucket, count)
       order by kind collate "C", bucket
       on conflict (kind, bucket, stripe) do update set count = w.count + excluded.count`,
      [
        rows.map((row) => row.kind),
        rows.map((row) => row.bucket),
        rows.map((row) => row.count),
        stripe,
      ],
    );
  }

  function writeTally(session: PostgresSession): void {
    if (!isAny(tally)) return;
    session.send(
      `insert into @tally as y (stripe, raised, unchanged, ready_due) values ($1, $2, $3, $4)
       on conflict (stripe) do update set raised = y.raised + excluded.raised,
         unchanged = y.unchanged + excluded.unchanged,
         ready_due = greatest(y.ready_due, excluded.ready_due)`,
      [stripe, tally.raised, tally.unchanged, tally.readyDue],
    );
  }
}

const isAny = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).some((count) => count !== 0);
