/**
 * The tables of a queue in PostgreSQL, as numbered steps: a schema at version n gets the steps
 * after n. A step is never edited once released. After a step, a node of the previous version must
 * still be able to work. `@name` stands for a name in the queue's own schema.
 *
 * task.state   0 ready · 1 scheduled · 2 backoff · 3 ready, but suspect · 4 running
 *              5 done · 6 skipped · 7 failed. The first four are all "pending".
 * scope        one number for each (job, gate): with the key it is a task's identity.
 * lane         (kind, job, gate). Of a lane with a gate `is_ready`, `top` and `head` tell whether it
 *              has ready tasks, and the priority and id of the best; `is_open` mirrors its gate. They
 *              change only under the lane's row lock: a transaction that changes whether a task is
 *              ready holds it until its end. Lanes without a gate are read by every claim and never
 *              locked, so that no transaction waits for another one there.
 * *_counter    counters by stripe: every process has its own, a reader sums them up. So they are
 *              exact, because they change in the same transaction as the tasks, and no row is hot.
 * log          what was purged: one row for each task, never changed, removed only by `pruneLog`.
 * kept_key     keys of such tasks that are still reserved. A digest stands for (job, gate, key), which
 *              may be longer than an index takes.
 * claim        one row for each claim that leased something, with the ids of its tasks.
 *              `expires_at` is never later than the earliest lease in it.
 */
export const steps: readonly string[] = [
  `
  create table @job (
    name text collate "C" primary key, is_paused bool not null, is_sealed bool not null,
    ended text, has_rest bool not null, concurrency int, budget int,
    gate text collate "C" not null, completions int not null, opened_at bigint not null,
    ended_at bigint not null
  ) with (fillfactor = 50);
  create index job_rest on @job (name) where has_rest;
  create index job_sealed on @job (name) where is_sealed and ended is null;

  create table @job_counter (
    job text collate "C", stripe int, slots bigint not null, added bigint not null,
    over_budget bigint not null, pending bigint not null, running bigint not null,
    done bigint not null, skipped bigint not null, failed bigint not null, served bigint not null,
    primary key (job, stripe)
  ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  create table @gate (
    name text collate "C" primary key, delay_ms bigint not null, capacity int not null,
    blocked_until bigint not null, opens_at bigint not null, running int not null,
    run_slots int not null, open_from bigint not null, has_room bool not null,
    is_open bool not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  create index gate_closed on @gate (open_from) where not is_open and has_room;

  create table @scope (
    id bigint generated always as identity, job text collate "C", gate text collate "C",
    primary key (job, gate)
  );

  create table @lane (
    id bigint generated always as identity primary key, scope bigint not null,
    kind text collate "C" not null, job text collate "C" not null, gate text collate "C" not null,
    is_open bool not null, is_ready bool not null, top int not null, head bigint not null,
    unique (job, gate, kind)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  create index lane_open on @lane (job, kind, top desc, head) where is_open and is_ready;
  create index lane_gate on @lane (gate) where gate <> '';
  create index lane_free on @lane (kind) where gate = '';

  create table @lane_counter (
    lane bigint, stripe int, ready bigint not null, scheduled bigint not null,
    backoff bigint not null, suspect bigint not null, running bigint not null,
    done bigint not null, skipped bigint not null, failed bigint not null,
    primary key (lane, stripe)
  ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.02,
          autovacuum_vacuum_threshold = 1000);

  create table @claim (
    token bigint primary key, request_id text not null, worker text not null,
    ids bigint[] not null, open int not null, is_open bool not null, has_suspect bool not null,
    lease_ms bigint not null, made_at bigint not null, expires_at bigint not null
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
          autovacuum_vacuum_threshold = 2000);
  alter table @claim alter column ids set storage external;
  create index claim_request on @claim (request_id);
  create index claim_worker on @claim (worker) where is_open;
  create index claim_expiry on @claim (expires_at) where is_open;
  create index claim_ended on @claim (made_at) where not is_open;

  create table @task (
    id bigint primary key, lane bigint not null, scope bigint not null,
    key text collate "C" not null, payload text not null, priority int not null,
    due_at bigint not null, created_at bigint not null, state smallint not null,
    token bigint not null, used int not null, attempts_max int not null, is_suspect bool not null,
    expires_at bigint not null, attempts text, result text, finished_at bigint not null
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
          autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
          autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05);
  create unique index task_identity on @task (scope, key);
  create index task_ready on @task (lane, priority desc, id) where state = 0;
  create index task_suspect on @task (priority desc, id) where state = 3;
  create index task_due on @task (due_at, id) where state in (1, 2);
  create index task_waiting on @task (lane, state, id) where state in (1, 2, 3);
  create index task_finished on @task (state, finished_at, id) where state >= 5;

  create table @wait (
    kind text collate "C", bucket int, stripe int, count bigint not null,
    primary key (kind, bucket, stripe)
  ) with (fillfactor = 20);

  create table @tally (
    stripe int primary key, raised bigint not null, unchanged bigint not null,
    ready_due bigint not null
  ) with (fillfactor = 20);

  create sequence @task_id;
  create sequence @token;
  create sequence @served;
  `,
  // Tasks that are purged move into the log, and their keys may stay reserved. Nodes of the
  // previous version purge without log entries, as before, and can add a reserved key again.
  `
  create table @log (
    id bigint primary key, kind text collate "C" not null, job text collate "C" not null,
    gate text collate "C" not null, key text collate "C" not null, state smallint not null,
    created_at bigint not null, finished_at bigint not null, used int not null,
    attempts_max int not null, attempts text
  );
  create index log_finished on @log (finished_at, id);

  create table @kept_key (
    identity bytea primary key, id bigint not null, kind text collate "C" not null,
    job text collate "C" not null, gate text collate "C" not null, state smallint not null,
    finished_at bigint not null
  );
  create index kept_key_finished on @kept_key (finished_at, id);
  `,
  // Bucket requests of a job's handlers. Nodes of the previous version do not change them.
  `
  alter table @job_counter add column requests bigint not null default 0;
  `,
];
