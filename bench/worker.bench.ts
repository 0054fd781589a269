import { createServiceStarter } from "../scripts/services/start-services.ts";
import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import { difference, ratio, spread } from "./frame/statistics.ts";
import type { WorkerInput } from "./ours/worker-sides.ts";

const module = new URL("./ours/worker-sides.ts", import.meta.url);
const memoryModule = new URL("./ours/worker-memory-side.ts", import.meta.url);
const sqlite = "sqlite:queue.db";
const tasks = 100_000;
const postgresTasks = 20_000;
const concurrency = 500;
const sleeping = 10_000;
const idealMs = (sleeping / concurrency) * 100;
const lasting = { tasks: 1_000_000, gates: 100_000 };
const released = 1_000;

export const bench: Bench = {
  name: "worker",
  summary: "tasks through the worker beside the queue alone; sleepers, memory, giving back",
  bars: {
    sqliteVsQueue: { min: 0.5 },
    postgresVsQueue: { min: 0.5 },
    addedMicrosPerTask: { max: 10 },
    sleepersVsIdeal: { max: 1.3 },
    rssGrowthMb: { max: 50 },
    releaseMs: { max: 1_000 },
  },
  async run({ repetitions, log }) {
    const services = createServiceStarter(log);
    try {
      const { env, missing, failed } = await services.start(["postgres"]);
      const postgres = env["FORAGER_TEST_POSTGRES_URL"];
      if (!postgres) throw new Error([...missing, ...failed].map(({ text }) => text).join("; "));
      const runs = await interleave({
        sides: {
          sqliteQueue: () => micros("queueAlone", { address: sqlite, tasks, concurrency }),
          sqliteWorker: () => micros("throughWorker", { address: sqlite, tasks, concurrency }),
          postgresQueue: () =>
            micros("queueAlone", { address: postgres, tasks: postgresTasks, concurrency }),
          postgresWorker: () =>
            micros("throughWorker", { address: postgres, tasks: postgresTasks, concurrency }),
          sleepers: () => micros("sleepers", { address: sqlite, tasks: sleeping, concurrency }),
          release: () => measured("release", { address: sqlite, tasks: released, concurrency }),
        },
        repetitions,
        log,
      });
      const perTask = (side: keyof typeof runs) => runs[side]["micros"]!;
      const input = { address: sqlite, concurrency, ...lasting };
      const { measured: memory } = await runSide({ module: memoryModule, side: "memory", input });
      for (const [name, mb] of Object.entries(memory)) log(`memory: ${name} ${mb.toFixed(1)}`);
      const sleepers = runs.sleepers["elapsedMs"]!;
      return {
        values: {
          sqliteVsQueue: ratio(perTask("sqliteQueue"), perTask("sqliteWorker")),
          postgresVsQueue: ratio(perTask("postgresQueue"), perTask("postgresWorker")),
          addedMicrosPerTask: difference(perTask("sqliteWorker"), perTask("sqliteQueue")),
          sleepersVsIdeal: spread(sleepers.samples.map((ms) => ms / idealMs)),
          rssGrowthMb: memory["growthMb"]!,
          heapGrowthMb: memory["heapGrowthMb"]!,
          externalGrowthMb: memory["externalGrowthMb"]!,
          releaseMs: runs.release["releaseMs"]!,
          sqliteMicros: perTask("sqliteWorker"),
          postgresMicros: perTask("postgresWorker"),
        },
        notes,
      };
    } finally {
      await services.stop();
    }
  },
};

const notes = [
  `${tasks} (PostgreSQL ${postgresTasks}) tasks that do nothing, ${concurrency} at once; the queue alone: claims of ` +
    `${concurrency}, a batch's finishes with the next claim in one commit`,
  `sleepers: ${sleeping} tasks of 100 ms at ${concurrency} at once; ideal ${idealMs} ms`,
  `memory: how much larger the process gets over ${lasting.tasks} tasks than over the first 100,000, and over ` +
    `${lasting.gates} of a gate each than over the first 20,000, the larger of both; heap and external: at the end ` +
    "above the beginning, after a collection; measured once",
  `release: ${released} tasks of 50 slow gates in hand; from stop until those not begun are pending again`,
];

async function micros(side: string, input: WorkerInput) {
  const { elapsedMs } = await runSide({ module, side, input });
  return { micros: (elapsedMs * 1_000) / input.tasks, elapsedMs };
}

const measured = async (side: string, input: WorkerInput) =>
  (await runSide({ module, side, input })).measured;
