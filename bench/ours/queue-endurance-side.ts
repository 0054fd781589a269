/**
 * Our queue at full speed for a long time, on a server: tasks are added, claimed, finished and
 * purged all the while, as many as the machine can, so that dead rows come as fast as they can.
 */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { percentile } from "../frame/statistics.ts";
import type { Side } from "../frame/side.ts";
import { pageUrl } from "../pages.ts";
import { schemaOf } from "../peers/peer-schema.ts";
import { kinds, openSide } from "./open-side.ts";
import type { BenchQueue, QueueInput } from "./open-side.ts";

export interface EnduranceInput extends QueueInput {
  readonly durationMs: number;
  /** The first and the last of this length are compared. */
  readonly windowMs: number;
  readonly loops: number;
  readonly limit: number;
  /** Tasks that wait, about. */
  readonly backlog: number;
}

/** Done tasks are kept no longer than this. */
const keepMs = 5_000;
const sampleMs = 1_000;

export const endurance: Side<EnduranceInput> = async (input, context) => {
  const queue = await openSide(input, context);
  const watcher = new pg.Client({ connectionString: input.address });
  await watcher.connect();
  const schema = schemaOf(context);
  let added = 0;
  let finished = 0;
  const claims: { readonly atMs: number; readonly ms: number }[] = [];
  const dead: { readonly atMs: number; readonly rows: number }[] = [];

  return {
    async run() {
      const startedMs = performance.now();
      const elapsedMs = () => performance.now() - startedMs;
      const isOver = () => elapsedMs() > input.durationMs;

      async function adding(): Promise<void> {
        while (!isOver()) {
          if (added - finished > input.backlog) {
            await wait(5);
            continue;
          }
          const from = added;
          added += 2_000;
          await queue.add(Array.from({ length: 2_000 }, (_, index) => page(from + index)));
        }
      }
      async function draining(loop: number): Promise<void> {
        while (!isOver() || finished < added) {
          const sentMs = elapsedMs();
          const { leases } = await queue.claim({
            worker: `loop-${loop}`,
            kinds,
            limit: input.limit,
          });
          claims.push({ atMs: elapsedMs(), ms: elapsedMs() - sentMs });
          if (leases.length === 0) await wait(5);
          const count = await finishAll(queue, leases);
          finished += count;
        }
      }
      async function purging(): Promise<void> {
        while (!isOver()) {
          await wait(keepMs);
          const finishedBeforeMs = (await queue.now()).ms - keepMs;
          await queue.purge({ states: ["done"], finishedBeforeMs });
        }
      }
      async function watching(): Promise<void> {
        while (!isOver()) {
          await wait(sampleMs);
          const { rows } = await watcher.query<{ rows: number }>(deadRows, [schema]);
          dead.push({ atMs: elapsedMs(), rows: rows[0]!.rows });
        }
      }
      const loops = Array.from({ length: input.loops }, (_, loop) => draining(loop));
      await Promise.all([adding(), purging(), watching(), ...loops]);

      // By when they were answered: one that hangs belongs to the window it hung in.
      const isLast = ({ atMs }: { readonly atMs: number }) =>
        atMs > input.durationMs - input.windowMs;
      const p99Ms = (some: typeof claims) =>
        percentile(
          some.map(({ ms }) => ms),
          99,
        );
      const firstP99Ms = p99Ms(claims.filter(({ atMs }) => atMs <= input.windowMs));
      const lastP99Ms = p99Ms(claims.filter(isLast));
      const half = input.durationMs / 2;
      const mostRows = (some: typeof dead) => Math.max(...some.map(({ rows }) => rows));
      return {
        perS: (finished / input.durationMs) * 1000,
        firstP99Ms,
        lastP99Ms,
        claimP99Growth: lastP99Ms / firstP99Ms,
        deadRowsMax: mostRows(dead),
        deadRowsGrowth:
          mostRows(dead.filter(({ atMs }) => atMs > half)) /
          mostRows(dead.filter(({ atMs }) => atMs <= half)),
      };
    },
    async check() {
      strictEqual(finished, added, "each task that was added is finished, once");
      const { pending, running } = (await queue.stats()).states;
      strictEqual(pending + running, 0, "tasks left");
      await watcher.end();
    },
  };
};

const deadRows = `select coalesce(sum(n_dead_tup), 0)::int as rows
  from pg_stat_user_tables where schemaname = $1`;

async function finishAll(
  queue: BenchQueue,
  leases: readonly { readonly id: number; readonly token: number }[],
): Promise<number> {
  if (leases.length === 0) return 0;
  const outcome = { kind: "done" } as const;
  const answers = await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
  return answers.filter(({ status }) => status === "done").length;
}

const page = (index: number) => {
  const url = pageUrl(index);
  return { kind: "page" as const, key: url, payload: { url } };
};
