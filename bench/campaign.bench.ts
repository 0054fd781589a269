import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { CampaignInput } from "./ours/campaign-sides.ts";

const module = new URL("./ours/campaign-sides.ts", import.meta.url);
const input: CampaignInput = { tiles: 10_000, phrases: 20, companies: 100_000 };

export const bench: Bench = {
  name: "campaign",
  summary: "plan and dispatch, report, CSV and map of a large campaign",
  bars: {
    planS: { max: 10 },
    dispatchS: { max: 10 },
    reportS: { max: 3 },
    exportPerS: { min: 50_000 },
    kmlMs: { max: 1_000 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        plan: async () => (await runSide({ module, side: "plan", input })).measured,
        report: async () => (await runSide({ module, side: "report", input })).measured,
      },
      repetitions,
      log,
    });
    return {
      values: {
        planS: runs.plan["planS"]!,
        dispatchS: runs.plan["dispatchS"]!,
        reportS: runs.report["reportS"]!,
        exportPerS: runs.report["exportPerS"]!,
        kmlMs: runs.report["kmlMs"]!,
      },
      notes: [
        `plan and dispatch: ${input.tiles} tiles × ${input.phrases} phrases, one task for each tile, SQLite queue with full durability; the two together have 10 s`,
        `report, export, KML: ${input.companies} companies in the index; the KML has one cell for each tile`,
      ],
    };
  },
};
