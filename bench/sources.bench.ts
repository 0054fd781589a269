import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { CutInput, DiscoverInput, MatchInput } from "./ours/sources-sides.ts";

const module = new URL("./ours/sources-sides.ts", import.meta.url);
const phrases = (
  "plumber,flooring contractor,law firm,dentist,gym,hair salon,roofer,electrician,accountant,florist," +
  "bakery,coffee shop,vet clinic,insurance agency,moving company,car wash,locksmith,optician," +
  "tattoo parlor,auto repair"
).split(",");
const match: MatchInput = { places: 5_000, phrases, rounds: 9 };
const cut: CutInput = { places: 1_000_000, tiles: 2_000 };
const discover: DiscoverInput = { places: 200_000, tiles: 2_000 };
const timeoutMs = 30 * 60_000;

export const bench: Bench = {
  name: "sources",
  summary: "phrases against a tile, a file cut into tiles, and a campaign from tiles to companies",
  bars: {
    matchMs: { max: 50 },
    cutPlacesPerS: { min: 50_000 },
    discoverPerS: { min: 500, aim: 1_500 },
    firstCompanyMs: { max: 5_000 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        match: async () => (await runSide({ module, side: "match", input: match })).measured,
        cut: async () => {
          const { elapsedMs, rssBytesMax } = await runSide({ module, side: "cut", input: cut, timeoutMs }); // prettier-ignore
          return { perS: (cut.places / elapsedMs) * 1_000, rssMb: rssBytesMax / 2 ** 20 };
        },
      },
      repetitions,
      log,
    });
    log("a campaign of 200,000 places; that takes some minutes");
    const { elapsedMs, measured, rssBytesMax } = await runSide({ module, side: "discover", input: discover, timeoutMs }); // prettier-ignore
    return {
      values: {
        matchMs: runs.match["matchMs"]!,
        matchFirstMs: runs.match["matchFirstMs"]!,
        cutPlacesPerS: runs.cut["perS"]!,
        cutRssMb: runs.cut["rssMb"]!,
        discoverPerS: (discover.places / elapsedMs) * 1_000,
        firstCompanyMs: measured["firstCompanyMs"] ?? NaN,
        discoverRssMb: rssBytesMax / 2 ** 20,
      },
      notes: [
        `match: ${match.places} places against ${match.phrases.length} phrases, the median of ${match.rounds} rounds; First: with categories not seen before`,
        `cut: ${cut.places} rows of JSON lines over ${cut.tiles} tiles into a bucket that is a folder, every object synced`,
        `discover: ${discover.places} places over ${discover.tiles} tiles, five phrases, SQLite queue with full durability, companies with files and index, ` +
          "one process; the file is cut before; once, not repeated",
      ],
    };
  },
};
