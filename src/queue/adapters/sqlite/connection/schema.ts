/**
 * The tables of a queue in SQLite, as numbered steps: a file at version n gets the steps after n.
 * A step is never edited once released.
 *
 * task.state   0 ready · 1 scheduled · 2 backoff · 3 ready, but suspect · 4 running
 *              5 done · 6 skipped · 7 failed. The first four are all "pending": which one is kept
 *              up to date so that claims find ready tasks without touching the others.
 * task.scope   one number for each (job, gate), so that the unique index is small.
 * lane         (kind, job, gate) with its counters. `is_open` mirrors its gate, `top` and `head` are
 *              the priority and id of its best ready task: open lanes can be walked in order.
 * turn         (kind, job) with a lane that is open and has something ready: the best one's `top` and
 *              `head`, and its job's `served`. Claims start here, so that jobs without a turn cost
 *              nothing.
 * gate         `open_from` and `has_room` are derived; closed gates wait in an index by `open_from`.
 * log          what was purged: one row for each task, never changed, removed only by `pruneLog`.
 * kept_key     keys of such tasks that are still reserved.
 * claim        one row for each claim; its token is the primary key. `expires_at` is never later
 *              than the earliest lease in it.
 */
export const steps: readonly string[] = [
  `
  create table meta (name text primary key, value) without rowid;

  create table job (
    name text primary key, is_paused int not null, is_sealed int not null, ended text,
    concurrency int, budget int, gate text not null, slots int not null, added int not null,
    over_budget int not null, pending int not null, running int not null, done int not null,
    skipped int not null, failed int not null, completions int not null,
    opened_at int not null, ended_at int not null, served int not null
  ) without rowid;
  create index job_cancelled on job (name) where ended = 'cancelled' and pending > 0;
  create index job_complete on job (name)
    where is_sealed = 1 and ended is null and pending = 0 and running = 0;
  create index job_cancelled_running on job (name) where ended = 'cancelled' and running > 0;

  create table gate (
    name text primary key, delay_ms int not null, capacity int not null,
    blocked_until int not null, opens_at int not null, running int not null,
    run_slots int not null, open_from int not null, has_room int not null, is_open int not null
  ) without rowid;
  create index gate_closed on gate (open_from) where is_open = 0 and has_room = 1;

  create table lane (
    id integer primary key autoincrement, scope int not null,
    kind text not null, job text not null, gate text not null,
    ready int not null, suspects int not null, scheduled int not null, backoff int not null,
    running int not null, done int not null, skipped int not null, failed int not null,
    is_open int not null, top int not null, head int not null,
    unique (job, gate, kind)
  );
  create index lane_open on lane (job, kind, top desc, head) where is_open = 1 and ready > 0;
  create index lane_suspect on lane (kind) where is_open = 1 and suspects > 0;
  create index lane_gate on lane (gate);

  create table turn (
    job text not null, kind text not null, top int not null, head int not null,
    served int not null, is_claimable int not null, primary key (job, kind)
  ) without rowid;
  create index turn_next on turn (kind, top desc, served, head) where is_claimable = 1;

  create table claim (
    token integer primary key, request_id text not null, worker text not null,
    open int not null, has_suspect int not null, lease_ms int not null,
    made_at int not null, expires_at int not null
  );
  create index claim_request on claim (request_id);
  create index claim_worker on claim (worker) where open > 0;
  create index claim_expiry on claim (expires_at) where open > 0;
  create index claim_ended on claim (made_at + lease_ms) where open = 0;

  create table task (
    id integer primary key, lane int not null, scope int not null, key text not null,
    payload text not null, priority int not null, due_at int not null, created_at int not null,
    state int not null, token int not null, used int not null, attempts_max int not null,
    is_suspect int not null, expires_at int not null, attempts text, result text,
    finished_at int not null
  );
  create unique index task_identity on task (scope, key);
  create index task_ready on task (lane, priority desc, id) where state = 0;
  create index task_suspect on task (lane, priority desc, id) where state = 3;
  create index task_due on task (due_at, id) where state in (1, 2);
  create index task_waiting on task (lane, state, id) where state in (1, 2);
  create index task_running on task (token, id) where state = 4;
  create index task_finished on task (state, finished_at, id) where state >= 5;

  create table wait (
    kind text not null, bucket int not null, count int not null, primary key (kind, bucket)
  ) without rowid;

  create table opener (pid int primary key, boot text not null) without rowid;
  `,
  // Tasks that are purged move into the log, and their keys may stay reserved.
  `
  create table log (
    id integer primary key, kind text not null, job text not null, gate text not null,
    key text not null, state int not null, created_at int not null, finished_at int not null,
    used int not null, attempts_max int not null, attempts text
  );
  create index log_finished on log (finished_at, id);

  create table kept_key (
    job text not null, gate text not null, key text not null, id int not null, kind text not null,
    state int not null, finished_at int not null, primary key (job, gate, key)
  ) without rowid;
  create index kept_key_finished on kept_key (finished_at, id);
  `,
  // Bucket requests of a job's handlers.
  `
  alter table job add column requests int not null default 0;
  `,
];

/** Identifies a file of Forager: "FRGR". */
export const applicationId = 0x46524752;
