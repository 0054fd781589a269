import type { FastPath } from "../src/queue/adapters/postgres/write/fast-path.ts";
import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide } from "./frame/run-sides.ts";
import { ratio } from "./frame/statistics.ts";
import type { AddSingleInput, DrainInput, EnqueueInput } from "./ours/queue-sides.ts";

const module = new URL("./ours/queue-sides.ts", import.meta.url);
const enqueued = 100_000;
const single = 10_000;
const drained = 50_000;

type Load = "single" | "batches" | "drain" | "small";

/** Which load each fast path is for: the one that shows most of it. */
const loads = {
  add: ["single"],
  "batch-add": ["batches"],
  claim: ["drain", "small"],
  finish: ["drain", "small"],
  overlap: ["drain", "small"],
  stripes: ["drain", "small"],
} as const satisfies Readonly<Record<FastPath, readonly Load[]>>;

/** Removing a path that gains less than this costs nobody anything that matters. */
const gainMin = 1.15;
const pathsMeasured = Object.keys(loads) as readonly FastPath[];

const nameOf = (path: FastPath, load: Load) => `${path}:${load}Gain`;
const pairs = pathsMeasured.flatMap((path) => loads[path].map((load) => ({ path, load })));

export const bench: Bench = {
  name: "postgres-fast-paths",
  summary: "each fast path of PostgreSQL alone: throughput with it and without it",
  bars: Object.fromEntries(pairs.map(({ path, load }) => [nameOf(path, load), { min: gainMin }])),
  async run({ repetitions, log }) {
    const all: readonly Load[] = ["single", "batches", "drain", "small"];
    const runs = await withPostgres(log, ({ url, fresh }) => {
      const withAll = all.map((load) => [`all ${load}`, fresh(() => perS(url, load, []))] as const);
      const withoutOne = pairs.map(
        ({ path, load }) =>
          [`without ${path} ${load}`, fresh(() => perS(url, load, [path]))] as const,
      );
      const sides = Object.fromEntries([...withAll, ...withoutOne]);
      return interleave({ sides, repetitions, log });
    });
    const speed = (side: string) => runs[side]!["perS"]!;
    const gains = pairs.map(
      ({ path, load }) =>
        [
          nameOf(path, load),
          ratio(speed(`all ${load}`), speed(`without ${path} ${load}`)),
        ] as const,
    );
    return {
      values: {
        ...Object.fromEntries(gains),
        ...Object.fromEntries(all.map((load) => [`${load}PerS`, speed(`all ${load}`)])),
      },
      notes: [
        `single: ${single} tasks, one per add, 16 calls at once; batches: ${enqueued} tasks, 10,000 per add`,
        `drain: ${drained} tasks, claims of 500, 4 at once; small: claims of 10, 4 at once`,
        `a gain is throughput with all paths divided by throughput without this one`,
      ],
    };
  },
};

async function perS(address: string, load: Load, without: readonly FastPath[]) {
  const run = async <Input>(side: string, input: Input, tasks: number) => {
    const { elapsedMs } = await runSide({ module, side, input });
    return { perS: (tasks / elapsedMs) * 1000 };
  };
  const drain = (limit: number): DrainInput => ({
    address,
    without,
    tasks: drained,
    limit,
    loops: 4,
    process: 0,
    finishes: "together",
    keepsOpen: true,
  });
  switch (load) {
    case "single":
      return run<AddSingleInput>(
        "addSingle",
        { address, without, tasks: single, calls: 16 },
        single,
      );
    case "batches":
      return run<EnqueueInput>(
        "enqueue",
        { address, without, tasks: enqueued, batch: 10_000 },
        enqueued,
      );
    case "drain":
      return run("drain", drain(500), drained);
    case "small":
      return run("drain", drain(10), drained);
  }
}
