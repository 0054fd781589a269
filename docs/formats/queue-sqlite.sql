pragma application_id = 1179797330;
pragma user_version = 3;
CREATE TABLE claim (
  token integer primary key, request_id text not null, worker text not null,
  open int not null, has_suspect int not null, lease_ms int not null,
  made_at int not null, expires_at int not null
);
CREATE INDEX claim_ended on claim (made_at + lease_ms) where open = 0;
CREATE INDEX claim_expiry on claim (expires_at) where open > 0;
CREATE INDEX claim_request on claim (request_id);
CREATE INDEX claim_worker on claim (worker) where open > 0;
CREATE TABLE gate (
  name text primary key, delay_ms int not null, capacity int not null,
  blocked_until int not null, opens_at int not null, running int not null,
  run_slots int not null, open_from int not null, has_room int not null, is_open int not null
) without rowid;
CREATE INDEX gate_closed on gate (open_from) where is_open = 0 and has_room = 1;
CREATE TABLE job (
  name text primary key, is_paused int not null, is_sealed int not null, ended text,
  concurrency int, budget int, gate text not null, slots int not null, added int not null,
  over_budget int not null, pending int not null, running int not null, done int not null,
  skipped int not null, failed int not null, completions int not null,
  opened_at int not null, ended_at int not null, served int not null
, requests int not null default 0) without rowid;
CREATE INDEX job_cancelled on job (name) where ended = 'cancelled' and pending > 0;
CREATE INDEX job_cancelled_running on job (name) where ended = 'cancelled' and running > 0;
CREATE INDEX job_complete on job (name)
  where is_sealed = 1 and ended is null and pending = 0 and running = 0;
CREATE TABLE kept_key (
  job text not null, gate text not null, key text not null, id int not null, kind text not null,
  state int not null, finished_at int not null, primary key (job, gate, key)
) without rowid;
CREATE INDEX kept_key_finished on kept_key (finished_at, id);
CREATE TABLE lane (
  id integer primary key autoincrement, scope int not null,
  kind text not null, job text not null, gate text not null,
  ready int not null, suspects int not null, scheduled int not null, backoff int not null,
  running int not null, done int not null, skipped int not null, failed int not null,
  is_open int not null, top int not null, head int not null,
  unique (job, gate, kind)
);
CREATE INDEX lane_gate on lane (gate);
CREATE INDEX lane_open on lane (job, kind, top desc, head) where is_open = 1 and ready > 0;
CREATE INDEX lane_suspect on lane (kind) where is_open = 1 and suspects > 0;
CREATE TABLE log (
  id integer primary key, kind text not null, job text not null, gate text not null,
  key text not null, state int not null, created_at int not null, finished_at int not null,
  used int not null, attempts_max int not null, attempts text
);
CREATE INDEX log_finished on log (finished_at, id);
CREATE TABLE meta (name text primary key, value) without rowid;
CREATE TABLE opener (pid int primary key, boot text not null) without rowid;
CREATE TABLE task (
  id integer primary key, lane int not null, scope int not null, key text not null,
  payload text not null, priority int not null, due_at int not null, created_at int not null,
  state int not null, token int not null, used int not null, attempts_max int not null,
  is_suspect int not null, expires_at int not null, attempts text, result text,
  finished_at int not null
);
CREATE INDEX task_due on task (due_at, id) where state in (1, 2);
CREATE INDEX task_finished on task (state, finished_at, id) where state >= 5;
CREATE UNIQUE INDEX task_identity on task (scope, key);
CREATE INDEX task_ready on task (lane, priority desc, id) where state = 0;
CREATE INDEX task_running on task (token, id) where state = 4;
CREATE INDEX task_suspect on task (lane, priority desc, id) where state = 3;
CREATE INDEX task_waiting on task (lane, state, id) where state in (1, 2);
CREATE TABLE turn (
  job text not null, kind text not null, top int not null, head int not null,
  served int not null, is_claimable int not null, primary key (job, kind)
) without rowid;
CREATE INDEX turn_next on turn (kind, top desc, served, head) where is_claimable = 1;
CREATE TABLE wait (
  kind text not null, bucket int not null, count int not null, primary key (kind, bucket)
) without rowid;
