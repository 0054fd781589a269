import type { Bench } from "./frame/bench.ts";
import { programCosts } from "./ours/program-costs.ts";

const companies = 1_000_000;

/** Takes an hour or more, and 30 GB of disk. */
export const bench: Bench = {
  name: "records-million",
  summary: "1,000,000 companies: show, search, idle memory, import, export, rebuild (an hour)",
  bars: {
    showMs: { max: 200 },
    showRssMb: { max: 120 },
    idleRssMb: { max: 300 },
    importRssMb: { max: 300 },
    exportRssMb: { max: 200 },
  },
  async run({ log }) {
    const { values, note } = await programCosts({ companies, log });
    return { values, notes: [note, "once, not repeated"] };
  },
};
