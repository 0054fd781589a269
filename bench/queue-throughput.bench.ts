import { strictEqual } from "node:assert/strict";
import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import { ratio } from "./frame/statistics.ts";
import { postgresBars, postgresThroughput } from "./queue-throughput-postgres.ts";
import type { DrainInput, EnqueueInput } from "./ours/queue-sides.ts";
import type { StatsInput } from "./ours/queue-stats-side.ts";
import type { PlainjobInput } from "./peers/plainjob.ts";

const ours = new URL("./ours/queue-sides.ts", import.meta.url);
const ourStats = new URL("./ours/queue-stats-side.ts", import.meta.url);
const plainjob = new URL("./peers/plainjob.ts", import.meta.url);
const address = "sqlite:queue.db";
const batch = 10_000;
const enqueueTasks = 200_000;
const drainTasks = 100_000;
/** Four processes compile their code four times over: on few tasks that would decide. */
const sharedTasks = 200_000;
/** The peer, and ours with a technique switched off, are slow: rates are compared. */
const slowTasks = 30_000;
const slowestTasks = 10_000;
const best: Omit<DrainInput, "tasks"> = {
  address,
  limit: 500,
  finishes: "together",
  keepsOpen: true,
  process: 0,
};
const stats: StatsInput = { address, tasks: drainTasks, gates: 100, samples: 30 };

export const bench: Bench = {
  name: "queue-throughput",
  summary:
    "tasks that do nothing, added and done, beside other queues; what each technique is worth",
  bars: {
    sqliteVsPlainjob: { min: 6, aim: 10 },
    sqliteEnqueueVsPlainjob: { min: 0.5, aim: 0.8 },
    sqliteFourVsOne: { min: 0.8 },
    ...postgresBars,
  },
  peers: ["plainjob"],
  async run(context) {
    const { repetitions, log } = context;
    const postgres = await postgresThroughput(context);
    const runs = await interleave({
      sides: {
        sqlite: () => drain([{ ...best, tasks: drainTasks }]),
        sqliteFull: () => drain([{ ...best, tasks: drainTasks, durability: "full" }]),
        plainjob: () => plainjobPerS("drain", { jobs: slowTasks, batch }),
        sqliteEnqueue: () => enqueue({ address, tasks: enqueueTasks, batch }),
        sqliteEnqueueFull: () =>
          enqueue({ address, tasks: enqueueTasks, batch, durability: "full" }),
        plainjobEnqueue: () => plainjobPerS("enqueue", { jobs: enqueueTasks, batch }),
        sqliteOne: () => drain([{ ...best, tasks: sharedTasks }]),
        sqliteFour: () =>
          drain([0, 1, 2, 3].map((process) => ({ ...best, tasks: sharedTasks, process }))),
        reopening: () => drain([{ ...best, tasks: slowTasks, keepsOpen: false }]),
        singleClaims: () => drain([{ ...best, tasks: slowestTasks, limit: 1 }]),
        oneTick: () => drain([{ ...best, tasks: slowTasks, finishes: "in one tick" }]),
        oneTickFull: () =>
          drain([{ ...best, tasks: slowTasks, finishes: "in one tick", durability: "full" }]),
        oneByOneFull: () =>
          drain([{ ...best, tasks: slowestTasks, finishes: "one by one", durability: "full" }]),
        oneByOne: () => drain([{ ...best, tasks: slowestTasks, finishes: "one by one" }]),
        stats: async () =>
          (await runSide({ module: ourStats, side: "statsOrCount", input: stats })).measured,
      },
      repetitions,
      log,
    });
    const perS = (side: keyof typeof runs) => runs[side]["perS"]!;
    const statsMs = runs.stats["statsMs"]!;
    const countMs = runs.stats["countMs"]!;
    return {
      values: {
        sqliteVsPlainjob: ratio(perS("sqlite"), perS("plainjob")),
        sqliteEnqueueVsPlainjob: ratio(perS("sqliteEnqueue"), perS("plainjobEnqueue")),
        sqliteFourVsOne: ratio(perS("sqliteFour"), perS("sqliteOne")),
        sqlitePerS: perS("sqlite"),
        sqliteFullVsNormal: ratio(perS("sqliteFull"), perS("sqlite")),
        sqliteFullPerS: perS("sqliteFull"),
        plainjobPerS: perS("plainjob"),
        sqliteEnqueuePerS: perS("sqliteEnqueue"),
        sqliteEnqueueFullPerS: perS("sqliteEnqueueFull"),
        plainjobEnqueuePerS: perS("plainjobEnqueue"),
        sqliteFourPerS: perS("sqliteFour"),
        persistentConnectionGain: ratio(perS("sqlite"), perS("reopening")),
        reopeningPerS: perS("reopening"),
        batchClaimGain: ratio(perS("sqlite"), perS("singleClaims")),
        singleClaimsPerS: perS("singleClaims"),
        groupCommitGain: ratio(perS("oneTick"), perS("oneByOne")),
        oneTickPerS: perS("oneTick"),
        oneByOnePerS: perS("oneByOne"),
        groupCommitGainFull: ratio(perS("oneTickFull"), perS("oneByOneFull")),
        oneTickFullPerS: perS("oneTickFull"),
        oneByOneFullPerS: perS("oneByOneFull"),
        statsVsCountGain: ratio(countMs, statsMs),
        statsMs,
        countMs,
        ...postgres.values,
      },
      notes: [...notes, ...postgres.notes],
    };
  },
};

const notes = [
  "every SQLite side: WAL, synchronous = NORMAL as plainjob has it, one better-sqlite3; a task counts when it is " +
    "stored as done. Those called full: synchronous = FULL, our default, which syncs every commit",
  `done: ${drainTasks} tasks, claims of ${best.limit}, a batch's finishes with the next claim in ` +
    `one commit; plainjob ${slowTasks} jobs, one at a time, as it is made`,
  `enqueue: ${enqueueTasks} with the same payload, ${batch} per call; ours has a unique URL key too`,
  `four: ${sharedTasks} tasks, 4 processes on one file, and one alone; checked: each task is done, ` +
    "was claimed once and finished once over all processes",
  `off: a connection per claim (${slowTasks} tasks), claims of 1 (${slowestTasks}), a commit per ` +
    `finish (${slowestTasks}) against a finish call per task in one tick (${slowTasks})`,
  `stats: of ${stats.tasks} tasks behind ${stats.gates} gates, beside count(*) by lane and state`,
];

/** All processes on one queue, from the parent's "go" until the last one is done. */
async function drain(inputs: readonly DrainInput[]) {
  const calls = inputs.map((input) => ({ module: ours, side: "drain", input }));
  const { elapsedMs, outcomes } = await runSides(calls);
  const held = outcomes.reduce((sum, { measured }) => sum + measured["held"]!, 0);
  const { tasks } = inputs[0]!;
  strictEqual(held, tasks, "each task is finished once, in one of the processes");
  return { perS: (tasks / elapsedMs) * 1000 };
}

async function enqueue(input: EnqueueInput) {
  const { elapsedMs } = await runSide({ module: ours, side: "enqueue", input });
  return { perS: (input.tasks / elapsedMs) * 1000 };
}

async function plainjobPerS(side: "enqueue" | "drain", input: PlainjobInput) {
  const { elapsedMs } = await runSide({ module: plainjob, side, input });
  return { perS: (input.jobs / elapsedMs) * 1000 };
}
