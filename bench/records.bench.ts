import type { Bench } from "./frame/bench.ts";
import { runSide } from "./frame/run-sides.ts";
import type { EnrichWriteInput } from "./ours/enrich-write-side.ts";
import { programCosts } from "./ours/program-costs.ts";
import type { ImportInput, RecordsInput } from "./ours/records-sides.ts";

const module = new URL("./ours/records-sides.ts", import.meta.url);
const pool: RecordsInput = { companies: 100_000, searches: 1_000, opened: 500, saved: 300 };
const imported: ImportInput = { lines: 25_126 };
const enrichModule = new URL("./ours/enrich-write-side.ts", import.meta.url);
const enriched: EnrichWriteInput = { companies: 1_000, processes: 4 };
const timeoutMs = 30 * 60_000;

export const bench: Bench = {
  name: "records",
  summary: "100,000 companies: rebuild, search, open, save, export, memory; an import of 25,126",
  bars: {
    indexRebuildS: { max: 60 },
    searchP95Ms: { max: 20 },
    openMs: { max: 5 },
    saveMs: { max: 10 },
    importS: { max: 60 },
    enrichWritesPerS: { min: 150 },
    showMs: { max: 150 },
    showRssMb: { max: 120 },
    idleRssMb: { max: 220 },
    importCpuS: { max: 45 },
    importRssMb: { max: 300 },
    rebuildS: { max: 60 },
    rebuildRssMb: { max: 500 },
    exportRssMb: { max: 200 },
  },
  async run({ log }) {
    log("a pool of 100,000 companies is made and measured; that takes some minutes");
    const { measured, rssBytesMax } = await runSide({ module, side: "records", input: pool, timeoutMs }); // prettier-ignore
    log("an import");
    const csv = await runSide({ module, side: "importCsv", input: imported, timeoutMs });
    log("1,000 visits are written by 4 worker processes");
    const enrich = await runSide({ module: enrichModule, side: "enrichWrites", input: enriched, timeoutMs }); // prettier-ignore
    const program = await programCosts({ companies: pool.companies, log });
    const value = (name: string) => measured[name] ?? NaN;
    return {
      values: {
        indexRebuildS: value("indexRebuildS"),
        searchP95Ms: value("searchP95Ms"),
        openMs: value("openMs"),
        saveMs: value("saveMs"),
        exportPerS: value("exportPerS"),
        openP95Ms: value("openP95Ms"),
        saveP95Ms: value("saveP95Ms"),
        importS: csv.elapsedMs / 1_000,
        enrichWritesPerS: enrich.measured["enrichWritesPerS"] ?? NaN,
        workerRssMb: enrich.measured["workerRssMb"] ?? NaN,
        fillS: value("fillS"),
        indexRebuildCpuS: value("indexRebuildCpuS"),
        fillCpuS: value("fillCpuS"),
        rssMb: rssBytesMax / 2 ** 20,
        ...program.values,
      },
      notes: [
        `${pool.companies} companies of 12 fields; 95 % in a checkpoint, 5 % in the journal; once, not repeated`,
        "fill: files and index of a node that has only the ledger; rebuild: the same over files that are there, edits looked for",
        `search: ${pool.searches} queries of ten forms, a page of 50 each`,
        `open and save: the median of ${pool.opened} and ${pool.saved}, with the p95 beside it; a save waits for the disk`,
        `import: ${imported.lines} lines of CSV into an empty pool, with files and index`,
        `enrichment: ${enriched.processes} worker processes write ten fields of each of ${enriched.companies} companies through the owner`,
        program.note,
      ],
    };
  },
};
