import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { SlowInput } from "./ours/bucket-queue-slow.ts";

const module = new URL("./ours/bucket-queue-slow.ts", import.meta.url);
/** A small fleet on S3 in another town: 4 nodes of 25 tasks at once, and one that adds. */
const fleet = { delayMs: 50, nodes: 5, batch: 25 };
const loads = {
  /** Tasks that do nothing: as fast as the queue can. */
  busy: { ...fleet, tasks: 4_000 },
  /** Tasks of a second, as visits of websites are at least. */
  visits: { ...fleet, tasks: 1_000, workMs: 1_000 },
} as const;
const shardCounts = [1, 2, 4, 8, 16] as const;

type Load = keyof typeof loads;

const sides = (Object.keys(loads) as readonly Load[]).flatMap((load) =>
  shardCounts.map((shards) => ({ load, shards, name: `${load}:${shards}` })),
);

export const bench: Bench = {
  name: "bucket-shards",
  summary: "a queue on a bucket with 1, 2, 4, 8 and 16 shards: speed and requests per task",
  bars: {},
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: Object.fromEntries(
        sides.map(({ load, shards, name }) => [name, () => measure(loads[load], shards)]),
      ),
      repetitions,
      log,
    });
    const values = sides.flatMap(({ name }) =>
      ["perS", "requestsPerTask"].map((what) => [`${name}:${what}`, runs[name]![what]!] as const),
    );
    return {
      values: Object.fromEntries(values),
      notes: [
        `${fleet.delayMs} ms for every request; ${fleet.nodes - 1} nodes claim and finish ` +
          `${fleet.batch} tasks at once, one adds them`,
        `busy: ${loads.busy.tasks} tasks that do nothing; visits: ${loads.visits.tasks} tasks of ` +
          `${loads.visits.workMs / 1_000} s`,
      ],
    };
  },
};

async function measure(load: Omit<SlowInput, "shards">, shards: number) {
  const input: SlowInput = { ...load, shards };
  const { elapsedMs, measured } = await runSide({ module, side: "slowFleet", input });
  return {
    perS: (load.tasks / elapsedMs) * 1_000,
    requestsPerTask: (measured["requests"] ?? 0) / load.tasks,
  };
}
