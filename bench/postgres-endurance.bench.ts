import type { Bench } from "./frame/bench.ts";
import { withPostgres } from "./frame/postgres.ts";
import { runSide } from "./frame/run-sides.ts";
import type { EnduranceInput } from "./ours/queue-endurance-side.ts";

const module = new URL("./ours/queue-endurance-side.ts", import.meta.url);
const minuteMs = 60_000;

export const bench: Bench = {
  name: "postgres-endurance",
  summary: "ten minutes at full speed on PostgreSQL: dead rows stay few, claims stay quick",
  bars: { postgresClaimP99Growth: { max: 2 }, postgresDeadRowsGrowth: { max: 2 } },
  async run({ quick, log }) {
    // The one bench that --quick makes shorter: there is nothing in it to repeat less often.
    const minutes = quick ? 1 : 10;
    const durationMs = minutes * minuteMs;
    const windowMs = durationMs / 10;
    const measured = await withPostgres(log, async ({ url }) => {
      const input: EnduranceInput = {
        address: url,
        durationMs,
        windowMs,
        loops: 2,
        limit: 500,
        backlog: 20_000,
      };
      const timeoutMs = durationMs + 5 * minuteMs;
      return (await runSide({ module, side: "endurance", input, timeoutMs })).measured;
    });
    return {
      values: {
        postgresClaimP99Growth: measured["claimP99Growth"]!,
        postgresDeadRowsGrowth: measured["deadRowsGrowth"]!,
        postgresDeadRowsMax: measured["deadRowsMax"]!,
        postgresFirstP99Ms: measured["firstP99Ms"]!,
        postgresLastP99Ms: measured["lastP99Ms"]!,
        postgresEndurancePerS: measured["perS"]!,
      },
      notes: [
        `${minutes} min; tasks added, claimed by 500, finished and, 5 s later, purged all the ` +
          "while, as fast as it goes, with about 20,000 waiting",
        `claims: p99 of the last ${windowMs / 1000} s against the first; dead rows: of all tables, ` +
          "the most in the second half against the most in the first, as the server counts them",
      ],
    };
  },
};
