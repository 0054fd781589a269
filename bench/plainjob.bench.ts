import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { PlainjobInput } from "./peers/plainjob.ts";

const module = new URL("./peers/plainjob.ts", import.meta.url);
const batch = 10_000;
const enqueueJobs = 200_000;
const drainJobs = 32_000; // as many as in plainjob's own benchmark

export const bench: Bench = {
  name: "plainjob",
  summary: "the peer of the SQLite queue alone: shows that it reaches its known speed here",
  bars: {},
  peers: ["plainjob"],
  async run({ repetitions, log }) {
    const { enqueue, drain } = await interleave({
      sides: {
        enqueue: () => jobsPerS("enqueue", { jobs: enqueueJobs, batch }),
        drain: () => jobsPerS("drain", { jobs: drainJobs, batch }),
      },
      repetitions,
      log,
    });
    return {
      values: {
        plainjobEnqueuePerS: enqueue["jobsPerS"]!,
        plainjobDonePerS: drain["jobsPerS"]!,
      },
      notes: [
        `enqueue: ${enqueueJobs} jobs with a URL, ${batch} per addMany, no unique key`,
        `done: ${drainJobs} no-op jobs until stored as done, one worker, WAL, synchronous = NORMAL`,
      ],
    };
  },
};

async function jobsPerS(side: string, input: PlainjobInput) {
  const { elapsedMs } = await runSide({ module, side, input });
  return { jobsPerS: (input.jobs / elapsedMs) * 1000 };
}
