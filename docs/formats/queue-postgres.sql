-- version 3

create table claim (
  token bigint not null,
  request_id text not null,
  worker text not null,
  ids bigint[] not null,
  open integer not null,
  is_open boolean not null,
  has_suspect boolean not null,
  lease_ms bigint not null,
  made_at bigint not null,
  expires_at bigint not null
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
CREATE INDEX claim_ended ON claim USING btree (made_at) WHERE (NOT is_open);
CREATE INDEX claim_expiry ON claim USING btree (expires_at) WHERE is_open;
CREATE UNIQUE INDEX claim_pkey ON claim USING btree (token);
CREATE INDEX claim_request ON claim USING btree (request_id);
CREATE INDEX claim_worker ON claim USING btree (worker) WHERE is_open;

create table gate (
  name text collate "C" not null,
  delay_ms bigint not null,
  capacity integer not null,
  blocked_until bigint not null,
  opens_at bigint not null,
  running integer not null,
  run_slots integer not null,
  open_from bigint not null,
  has_room boolean not null,
  is_open boolean not null
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX gate_closed ON gate USING btree (open_from) WHERE ((NOT is_open) AND has_room);
CREATE UNIQUE INDEX gate_pkey ON gate USING btree (name);

create table job (
  name text collate "C" not null,
  is_paused boolean not null,
  is_sealed boolean not null,
  ended text,
  has_rest boolean not null,
  concurrency integer,
  budget integer,
  gate text collate "C" not null,
  completions integer not null,
  opened_at bigint not null,
  ended_at bigint not null
) with (fillfactor=50);
CREATE UNIQUE INDEX job_pkey ON job USING btree (name);
CREATE INDEX job_rest ON job USING btree (name) WHERE has_rest;
CREATE INDEX job_sealed ON job USING btree (name) WHERE (is_sealed AND (ended IS NULL));

create table job_counter (
  job text collate "C" not null,
  stripe integer not null,
  slots bigint not null,
  added bigint not null,
  over_budget bigint not null,
  pending bigint not null,
  running bigint not null,
  done bigint not null,
  skipped bigint not null,
  failed bigint not null,
  served bigint not null,
  requests bigint not null
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
CREATE UNIQUE INDEX job_counter_pkey ON job_counter USING btree (job, stripe);

create table kept_key (
  identity bytea not null,
  id bigint not null,
  kind text collate "C" not null,
  job text collate "C" not null,
  gate text collate "C" not null,
  state smallint not null,
  finished_at bigint not null
);
CREATE INDEX kept_key_finished ON kept_key USING btree (finished_at, id);
CREATE UNIQUE INDEX kept_key_pkey ON kept_key USING btree (identity);

create table lane (
  id bigint generated always as identity not null,
  scope bigint not null,
  kind text collate "C" not null,
  job text collate "C" not null,
  gate text collate "C" not null,
  is_open boolean not null,
  is_ready boolean not null,
  top integer not null,
  head bigint not null
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX lane_free ON lane USING btree (kind) WHERE (gate = ''::text);
CREATE INDEX lane_gate ON lane USING btree (gate) WHERE (gate <> ''::text);
CREATE UNIQUE INDEX lane_job_gate_kind_key ON lane USING btree (job, gate, kind);
CREATE INDEX lane_open ON lane USING btree (job, kind, top DESC, head) WHERE (is_open AND is_ready);
CREATE UNIQUE INDEX lane_pkey ON lane USING btree (id);

create table lane_counter (
  lane bigint not null,
  stripe integer not null,
  ready bigint not null,
  scheduled bigint not null,
  backoff bigint not null,
  suspect bigint not null,
  running bigint not null,
  done bigint not null,
  skipped bigint not null,
  failed bigint not null
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
CREATE UNIQUE INDEX lane_counter_pkey ON lane_counter USING btree (lane, stripe);

create table log (
  id bigint not null,
  kind text collate "C" not null,
  job text collate "C" not null,
  gate text collate "C" not null,
  key text collate "C" not null,
  state smallint not null,
  created_at bigint not null,
  finished_at bigint not null,
  used integer not null,
  attempts_max integer not null,
  attempts text
);
CREATE INDEX log_finished ON log USING btree (finished_at, id);
CREATE UNIQUE INDEX log_pkey ON log USING btree (id);

create table meta (
  name text not null,
  value text not null
);
CREATE UNIQUE INDEX meta_pkey ON meta USING btree (name);

create table scope (
  id bigint generated always as identity not null,
  job text collate "C" not null,
  gate text collate "C" not null
);
CREATE UNIQUE INDEX scope_pkey ON scope USING btree (job, gate);

create table tally (
  stripe integer not null,
  raised bigint not null,
  unchanged bigint not null,
  ready_due bigint not null
) with (fillfactor=20);
CREATE UNIQUE INDEX tally_pkey ON tally USING btree (stripe);

create table task (
  id bigint not null,
  lane bigint not null,
  scope bigint not null,
  key text collate "C" not null,
  payload text not null,
  priority integer not null,
  due_at bigint not null,
  created_at bigint not null,
  state smallint not null,
  token bigint not null,
  used integer not null,
  attempts_max integer not null,
  is_suspect boolean not null,
  expires_at bigint not null,
  attempts text,
  result text,
  finished_at bigint not null
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_scale_factor=0.2, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX task_due ON task USING btree (due_at, id) WHERE (state = ANY (ARRAY[1, 2]));
CREATE INDEX task_finished ON task USING btree (state, finished_at, id) WHERE (state >= 5);
CREATE UNIQUE INDEX task_identity ON task USING btree (scope, key);
CREATE UNIQUE INDEX task_pkey ON task USING btree (id);
CREATE INDEX task_ready ON task USING btree (lane, priority DESC, id) WHERE (state = 0);
CREATE INDEX task_suspect ON task USING btree (priority DESC, id) WHERE (state = 3);
CREATE INDEX task_waiting ON task USING btree (lane, state, id) WHERE (state = ANY (ARRAY[1, 2, 3]));

create table wait (
  kind text collate "C" not null,
  bucket integer not null,
  stripe integer not null,
  count bigint not null
) with (fillfactor=20);
CREATE UNIQUE INDEX wait_pkey ON wait USING btree (kind, bucket, stripe);

create sequence served;
create sequence task_id;
create sequence token;
