import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { ParquetInput, ResolveInput } from "./ours/merge-sides.ts";
import type { CutInput, DiscoverInput, MatchInput } from "./ours/sources-sides.ts";

const module = new URL("./ours/sources-sides.ts", import.meta.url);
const merging = new URL("./ours/merge-sides.ts", import.meta.url);
const phrases = (
  "plumber,flooring contractor,law firm,dentist,gym,hair salon,roofer,electrician,accountant,florist," +
  "bakery,coffee shop,vet clinic,insurance agency,moving company,car wash,locksmith,optician," +
  "tattoo parlor,auto repair"
).split(",");
const match: MatchInput = { places: 5_000, phrases, rounds: 9 };
const cut: CutInput = { places: 1_000_000, tiles: 2_000 };
const discover: DiscoverInput = { places: 200_000, tiles: 2_000 };
const parquet: ParquetInput = { rows: 1_000_000, rowGroup: 100_000, tiles: 20 };
const resolve: ResolveInput = { companies: 100_000, twins: 5_000 };
const timeoutMs = 30 * 60_000;

export const bench: Bench = {
  name: "sources",
  summary:
    "phrases against a tile, files cut into tiles, companies of tiles, and one of several sources",
  bars: {
    matchMs: { max: 50 },
    cutPlacesPerS: { min: 50_000 },
    discoverPerS: { min: 500, aim: 1_500 },
    firstCompanyMs: { max: 5_000 },
    parquetTileMs: { max: 200 },
    parquetRssMb: { max: 250 },
    resolveS: { max: 60 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        match: async () => (await runSide({ module, side: "match", input: match })).measured,
        cut: async () => {
          const { elapsedMs, rssBytesMax } = await runSide({ module, side: "cut", input: cut, timeoutMs }); // prettier-ignore
          return { perS: (cut.places / elapsedMs) * 1_000, rssMb: rssBytesMax / 2 ** 20 };
        },
        parquet: async () =>
          (await runSide({ module: merging, side: "parquet", input: parquet, timeoutMs })).measured,
      },
      repetitions,
      log,
    });
    log("a campaign of 200,000 places; that takes some minutes");
    const { elapsedMs, measured, rssBytesMax } = await runSide({ module, side: "discover", input: discover, timeoutMs }); // prettier-ignore
    log("100,000 companies to compare; making them takes some minutes");
    const resolved = await runSide({ module: merging, side: "resolve", input: resolve, timeoutMs });
    return {
      values: {
        matchMs: runs.match["matchMs"]!,
        matchFirstMs: runs.match["matchFirstMs"]!,
        cutPlacesPerS: runs.cut["perS"]!,
        cutRssMb: runs.cut["rssMb"]!,
        discoverPerS: (discover.places / elapsedMs) * 1_000,
        firstCompanyMs: measured["firstCompanyMs"] ?? NaN,
        discoverRssMb: rssBytesMax / 2 ** 20,
        parquetTileMs: runs.parquet["tileMs"]!,
        parquetFirstTileMs: runs.parquet["firstMs"]!,
        parquetRssMb: runs.parquet["rssMb"]!,
        resolveS: resolved.elapsedMs / 1_000,
      },
      notes: [
        `match: ${match.places} places against ${match.phrases.length} phrases, the median of ${match.rounds} rounds; First: with categories not seen before`,
        `cut: ${cut.places} rows of JSON lines over ${cut.tiles} tiles into a bucket that is a folder, every object synced`,
        `discover: ${discover.places} places over ${discover.tiles} tiles, five phrases, SQLite queue with full durability, companies with files and index, ` +
          "one process; the file is cut before; once, not repeated",
        `parquet: a tile of 0.1° of ${parquet.rows} rows in groups of ${parquet.rowGroup}, the median of ${parquet.tiles} in a process that runs; First: with its start`,
        `resolve: ${resolve.companies} companies of two sources, all compared, ${resolve.twins} merged, with files and index; once, not repeated`,
      ],
    };
  },
};
