import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import type { LatencyInput } from "./ours/queue-latency-sides.ts";

const module = new URL("./ours/queue-latency-sides.ts", import.meta.url);
const input: LatencyInput = { address: "sqlite:queue.db", samples: 500 };

export const bench: Bench = {
  name: "queue-latency",
  summary: "from adding a task to its start, in one process and from one to another",
  bars: {
    sqliteWakeMs: { max: 1 },
    sqliteCrossWakeMs: { max: 5 },
    postgresWakeMs: { max: 3 },
  },
  async run({ repetitions, log }) {
    const { one, cross, postgres, postgresCross } = await withPostgres(log, ({ url, fresh }) =>
      interleave({
        sides: {
          one: () => oneMs(input),
          cross: () => crossMs(input),
          postgres: fresh(() => oneMs({ ...input, address: url })),
          postgresCross: fresh(() => crossMs({ ...input, address: url })),
        },
        repetitions,
        log,
      }),
    );
    return {
      values: {
        sqliteWakeMs: one["p50Ms"]!,
        sqliteWakeP99Ms: one["p99Ms"]!,
        sqliteCrossWakeMs: cross["p50Ms"]!,
        sqliteCrossWakeP99Ms: cross["p99Ms"]!,
        postgresWakeMs: postgres["p50Ms"]!,
        postgresWakeP99Ms: postgres["p99Ms"]!,
        postgresCrossWakeMs: postgresCross["p50Ms"]!,
        postgresCrossWakeP99Ms: postgresCross["p99Ms"]!,
      },
      notes: [
        `p50 and p99 of ${input.samples} tasks per repetition, one at a time, 5–10 ms apart; from ` +
          "before `add` until the waiter has the lease; the waiter sleeps in a waker, as a worker does",
      ],
    };
  },
};

const oneMs = async (own: LatencyInput) =>
  (await runSide({ module, side: "inProcess", input: own })).measured;

async function crossMs(own: LatencyInput) {
  const { outcomes } = await runSides([
    { module, side: "waiter", input: own },
    { module, side: "adder", input: own },
  ]);
  return outcomes[0]!.measured;
}
