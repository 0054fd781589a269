import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide } from "./frame/run-sides.ts";
import type { ScaleInput } from "./ours/queue-scale-side.ts";

const module = new URL("./ours/queue-scale-side.ts", import.meta.url);
const input: ScaleInput = {
  few: { address: "sqlite:few.db", blocked: 1_000 },
  many: { address: "sqlite:many.db", blocked: 1_000_000 },
  gates: 1_000,
  claimSamples: 2_000,
  statsSamples: 700,
};

export const bench: Bench = {
  name: "queue-scale",
  summary: "claims and statistics with a thousand and with a million blocked tasks",
  bars: {
    sqliteClaimGrowthP50: { max: 1.5 },
    sqliteClaimGrowthP99: { max: 3 },
    sqliteStatsGrowthP50: { max: 1.5 },
    reopenMs: { max: 1_000 },
    postgresClaimGrowthP50: { max: 1.5 },
    postgresClaimGrowthP99: { max: 3 },
    postgresStatsGrowthP50: { max: 1.5 },
  },
  async run({ repetitions, log }) {
    const { sqlite, postgres } = await withPostgres(log, ({ url, fresh }) =>
      interleave({
        sides: {
          sqlite: () => measure(input),
          postgres: fresh(() => measure(onPostgres(url))),
        },
        repetitions,
        log,
      }),
    );
    const value = (name: string) => sqlite[name]!;
    const server = (name: string) => postgres[name]!;
    return {
      values: {
        sqliteClaimGrowthP50: value("claimGrowthP50"),
        sqliteClaimGrowthP99: value("claimGrowthP99"),
        sqliteStatsGrowthP50: value("statsGrowthP50"),
        sqliteStatsGrowthP99: value("statsGrowthP99"),
        reopenMs: value("reopenMs"),
        reopenAfterCrashMs: value("reopenAfterCrashMs"),
        sqliteClaimFewP50Ms: value("claimFewP50Ms"),
        sqliteClaimManyP50Ms: value("claimManyP50Ms"),
        sqliteClaimManyP99Ms: value("claimManyP99Ms"),
        sqliteStatsFewP50Ms: value("statsFewP50Ms"),
        sqliteStatsManyP50Ms: value("statsManyP50Ms"),
        postgresClaimGrowthP50: server("claimGrowthP50"),
        postgresClaimGrowthP99: server("claimGrowthP99"),
        postgresStatsGrowthP50: server("statsGrowthP50"),
        postgresReopenMs: server("reopenMs"),
        postgresClaimFewP50Ms: server("claimFewP50Ms"),
        postgresClaimManyP50Ms: server("claimManyP50Ms"),
        postgresClaimManyP99Ms: server("claimManyP99Ms"),
        postgresStatsFewP50Ms: server("statsFewP50Ms"),
        postgresStatsManyP50Ms: server("statsManyP50Ms"),
      },
      notes: [
        `${input.few.blocked} and ${input.many.blocked} tasks behind the same ${input.gates} ` +
          "blocked gates; claims of one task from a lane of its own, of the same kind and priority",
        `${input.claimSamples} claims and ${input.statsSamples} stats() of each queue in every ` +
          `repetition (${repetitions}), the two queues in turn`,
        "reopen: a process that never opened a queue, from openQueue to the first lease; the file " +
          "is in the page cache; after a crash the whole file is checked first",
      ],
    };
  },
};

const measure = async (own: ScaleInput) =>
  (await runSide({ module, side: "scale", input: own })).measured;

const onPostgres = (address: string): ScaleInput => ({
  ...input,
  few: { ...input.few, address, name: "few" },
  many: { ...input.many, address, name: "many" },
});
