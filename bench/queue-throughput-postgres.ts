import { strictEqual } from "node:assert/strict";
import type { BenchContext, BenchResult } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { nodeBinary } from "./frame/node-install.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import { best, ratio } from "./frame/statistics.ts";
import type { DrainInput, EnqueueInput } from "./ours/queue-sides.ts";
import type { PostgresPeerInput } from "./peers/peer-schema.ts";
import type { RawInput } from "./peers/raw-postgres.ts";

const ours = new URL("./ours/queue-sides.ts", import.meta.url);
const peers = {
  graphileWorker: new URL("./peers/graphile-worker.ts", import.meta.url),
  pgBoss: new URL("./peers/pg-boss.ts", import.meta.url),
  raw: new URL("./peers/raw-postgres.ts", import.meta.url),
} as const;
const peerVersions = { "graphile-worker": "0.18.0", "pg-boss": "12.35.0" };
const tasks = 100_000;
const batch = 10_000;
const limit = 500;
/** As many claims beside each other as the raw loop and, of the peers, the quickest has. */
const loops = 4;
/** Four processes compile their code four times over: on few tasks that would decide. */
const sharedTasks = 200_000;

interface Drained {
  readonly tasks: number;
  readonly loops: number;
}

export const postgresBars = {
  postgresVsBestPeer: { min: 1, aim: 1.25 },
  postgresVsRaw: { min: 0.7 },
  postgresEnqueueVsBestPeer: { min: 0.8 },
  postgresFourVsOne: { min: 0.8 },
};

/** The PostgreSQL part of queue-throughput: its peers need a newer Node, so all sides have it. */
export async function postgresThroughput({
  repetitions,
  log,
}: BenchContext): Promise<Pick<Required<BenchResult>, "values" | "notes">> {
  const node = await nodeBinary("22", { packages: peerVersions, log });
  return withPostgres(log, async ({ url, fresh }) => {
    const peer = async (name: keyof typeof peers, side: "enqueue" | "drain", input = {}) => {
      const own: PostgresPeerInput = { url, jobs: tasks, batch, ...input };
      const { elapsedMs } = await runSide({ module: peers[name], side, input: own, node });
      return { perS: (tasks / elapsedMs) * 1000 };
    };
    const raw: Pick<RawInput, "loops" | "limit"> = { loops, limit };
    const enqueue = async () => {
      const input: EnqueueInput = { address: url, tasks, batch };
      const { elapsedMs } = await runSide({ module: ours, side: "enqueue", input, node });
      return { perS: (tasks / elapsedMs) * 1000 };
    };
    const drain = async (processes: number, { tasks: total, loops: beside }: Drained) => {
      const calls = Array.from({ length: processes }, (_, process) => {
        const input: DrainInput = {
          address: url,
          tasks: total,
          limit,
          loops: beside,
          process,
          finishes: "together",
          keepsOpen: true,
        };
        return { module: ours, side: "drain", input, node };
      });
      const { elapsedMs, outcomes } = await runSides(calls);
      const held = outcomes.reduce((sum, { measured }) => sum + measured["held"]!, 0);
      strictEqual(held, total, "each task is finished once, in one of the processes");
      return { perS: (total / elapsedMs) * 1000 };
    };
    const runs = await interleave({
      sides: {
        postgres: fresh(() => drain(1, { tasks, loops })),
        graphileWorker: fresh(() => peer("graphileWorker", "drain")),
        pgBoss: fresh(() => peer("pgBoss", "drain")),
        raw: fresh(() => peer("raw", "drain", raw)),
        postgresOne: fresh(() => drain(1, { tasks: sharedTasks, loops })),
        postgresFour: fresh(() => drain(4, { tasks: sharedTasks, loops: 1 })),
        postgresEnqueue: fresh(enqueue),
        graphileWorkerEnqueue: fresh(() => peer("graphileWorker", "enqueue")),
        pgBossEnqueue: fresh(() => peer("pgBoss", "enqueue")),
      },
      repetitions,
      log,
    });
    const perS = (side: keyof typeof runs) => runs[side]["perS"]!;
    const bestPeer = best(perS("graphileWorker"), perS("pgBoss"));
    const bestEnqueue = best(perS("graphileWorkerEnqueue"), perS("pgBossEnqueue"));
    return {
      values: {
        postgresVsBestPeer: ratio(perS("postgres"), bestPeer),
        postgresVsRaw: ratio(perS("postgres"), perS("raw")),
        postgresEnqueueVsBestPeer: ratio(perS("postgresEnqueue"), bestEnqueue),
        postgresFourVsOne: ratio(perS("postgresFour"), perS("postgresOne")),
        postgresPerS: perS("postgres"),
        graphileWorkerPerS: perS("graphileWorker"),
        pgBossPerS: perS("pgBoss"),
        rawPostgresPerS: perS("raw"),
        postgresFourPerS: perS("postgresFour"),
        postgresEnqueuePerS: perS("postgresEnqueue"),
        graphileWorkerEnqueuePerS: perS("graphileWorkerEnqueue"),
        pgBossEnqueuePerS: perS("pgBossEnqueue"),
      },
      notes: notes(node.version),
    };
  });
}

const notes = (version: string) => [
  `PostgreSQL sides on Node ${version}; synchronous_commit as the server has it (on); ${tasks} ` +
    `tasks; claims of ${limit}, ${loops} at once; enqueue ${batch} per call`,
  "graphile-worker 0.18: local queue 500, completions joined, 24 at once; it deletes what is done",
  "pg-boss 12.35: 4 loops of fetch 500 + complete, a table of its own, upkeep off",
  `four: ${sharedTasks} tasks, 4 processes with one claim at a time each, and one process with ${loops}`,
  "raw: our columns and indexes, claims and finishes by hand, and nothing else of a queue",
];
