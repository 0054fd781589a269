import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import type { LatencyInput } from "./ours/queue-latency-sides.ts";

const module = new URL("./ours/queue-latency-sides.ts", import.meta.url);
const input: LatencyInput = { address: "sqlite:queue.db", samples: 500 };

export const bench: Bench = {
  name: "queue-latency",
  summary: "from adding a task to its start, in one process and from one to another",
  bars: { sqliteWakeMs: { max: 1 }, sqliteCrossWakeMs: { max: 5 } },
  async run({ repetitions, log }) {
    const { one, cross } = await interleave({
      sides: {
        one: async () => (await runSide({ module, side: "inProcess", input })).measured,
        cross: crossMs,
      },
      repetitions,
      log,
    });
    return {
      values: {
        sqliteWakeMs: one["p50Ms"]!,
        sqliteWakeP99Ms: one["p99Ms"]!,
        sqliteCrossWakeMs: cross["p50Ms"]!,
        sqliteCrossWakeP99Ms: cross["p99Ms"]!,
      },
      notes: [
        `p50 and p99 of ${input.samples} tasks per repetition, one at a time, 5–10 ms apart; from ` +
          "before `add` until the waiter has the lease; the waiter sleeps in a waker, as a worker does",
      ],
    };
  },
};

async function crossMs() {
  const { outcomes } = await runSides([
    { module, side: "waiter", input },
    { module, side: "adder", input },
  ]);
  return outcomes[0]!.measured;
}
