/**
 * What PostgreSQL itself can do with our shape of a task, by hand: the same columns and indexes,
 * claims of 500 that skip what others lock, finishes that check a token, rows that stay as done.
 * No counters, gates, jobs, repeated requests or sweeps: what those cost is the distance to ours.
 */
import { strictEqual } from "node:assert/strict";
import pg from "pg";
import type { Side, SideContext } from "../frame/side.ts";
import { countRows, schemaOf, urlBatches } from "./peer-schema.ts";
import type { PostgresPeerInput } from "./peer-schema.ts";

export interface RawInput extends PostgresPeerInput {
  readonly loops: number;
  readonly limit: number;
}

export const drain: Side<RawInput> = async (input, context) => {
  await fill(input, context);
  const clients = await Promise.all(
    Array.from({ length: input.loops }, () => connect(input.url, context)),
  );
  let finished = 0;
  async function loop(client: pg.Client): Promise<void> {
    for (;;) {
      const { rows } = await client.query<{ id: string; token: string; payload: string }>({
        ...claim,
        values: [input.limit, Date.now()],
      });
      if (rows.length === 0) return;
      const payloads = rows.map(({ payload }) => JSON.parse(payload) as unknown);
      strictEqual(payloads.length, rows.length, "payloads read");
      const values = [rows[0]!.token, rows.map(({ id }) => id), Date.now()];
      const { rowCount } = await client.query({ ...finish, values });
      finished += rowCount ?? 0;
    }
  }
  return {
    async run() {
      await Promise.all(clients.map(loop));
    },
    async check() {
      strictEqual(finished, input.jobs, "finishes that counted");
      const schema = schemaOf(context);
      strictEqual(await countRows(input.url, `from ${schema}.task where state = 5`), input.jobs);
      await Promise.all(clients.map((client) => client.end()));
    },
  };
};

const claim = {
  name: "claim",
  text: `with drawn as materialized (select nextval('token') as token)
    update task t set state = 4, token = (select token from drawn), used = t.used + 1,
      expires_at = $2::bigint + 30000
    where t.id = any(array(select r.id from task r where r.lane = 1 and r.state = 0
        order by r.priority desc, r.id limit $1 for no key update skip locked))
      and t.state = 0
    returning t.id, t.token, t.key, t.payload, t.priority, t.due_at, t.created_at, t.used,
      t.attempts_max, t.is_suspect`,
};
const finish = {
  name: "finish",
  text: `update task set state = 5, finished_at = $3, expires_at = 0
    where id = any($2::bigint[]) and token = $1 and state = 4`,
};

async function fill(input: RawInput, context: SideContext): Promise<void> {
  const client = new pg.Client({ connectionString: input.url });
  await client.connect();
  await client.query(`create schema ${schemaOf(context)}`);
  await client.end();
  const own = await connect(input.url, context);
  await own.query(table);
  for (const batch of urlBatches(input)) {
    await own.query(add, [batch.map(({ url }) => url), batch.map((one) => JSON.stringify(one))]);
  }
  await own.end();
}

async function connect(url: string, context: SideContext): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path = ${schemaOf(context)}`);
  return client;
}

/** As src/queue/adapters/postgres/connection/schema.ts has it. */
const table = `
  create table task (
    id bigint generated always as identity primary key, lane bigint not null,
    scope bigint not null, key text collate "C" not null, payload text not null,
    priority int not null, due_at bigint not null, created_at bigint not null,
    state smallint not null, token bigint not null, used int not null, attempts_max int not null,
    is_suspect bool not null, expires_at bigint not null, attempts text, result text,
    finished_at bigint not null
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
          autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
  create unique index task_identity on task (scope, key);
  create index task_ready on task (lane, priority desc, id) where state = 0;
  create index task_finished on task (state, finished_at, id) where state >= 5;
  create sequence token`;
const add = `insert into task (lane, scope, key, payload, priority, due_at, created_at, state,
    token, used, attempts_max, is_suspect, expires_at, finished_at)
  select 1, 1, key, payload, 0, 0, 0, 0, 0, 0, 5, false, 0, 0
  from unnest($1::text[], $2::text[]) as u (key, payload)`;
