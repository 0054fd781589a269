import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { QualityInput, SpeedInput } from "./ours/extract-sides.ts";

const module = new URL("./ours/extract-sides.ts", import.meta.url);
const speed: SpeedInput = { pages: 40, chars: 100_000, rounds: 8 };
const quality: QualityInput = { size: 120, seeds: [11, 12, 13] };

export const bench: Bench = {
  name: "extract",
  summary: "how long a page of 100 KB takes, and how much of the truth is found on generated sites",
  bars: {
    extractMsPer100Kb: { max: 5 },
    emailRecall: { min: 0.95 },
    emailPrecision: { min: 0.98 },
    phoneF1: { min: 0.95 },
    socialF1: { min: 0.95 },
  },
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        speed: async () => {
          const { measured, rssBytesMax } = await runSide({
            module,
            side: "speed",
            input: speed,
          });
          return {
            // Of the processor, collecting garbage included: who else works on the machine is no matter.
            ms: measured["cpuMs"]! / (measured["charsRead"]! / 100_000),
            rssMb: rssBytesMax / 2 ** 20,
          };
        },
        quality: async () => (await runSide({ module, side: "quality", input: quality })).measured,
      },
      repetitions,
      log,
    });
    return {
      values: {
        extractMsPer100Kb: runs.speed["ms"]!,
        extractRssMb: runs.speed["rssMb"]!,
        emailRecall: runs.quality["emailRecall"]!,
        emailPrecision: runs.quality["emailPrecision"]!,
        phoneF1: runs.quality["phoneF1"]!,
        socialF1: runs.quality["socialF1"]!,
      },
      notes: [
        `speed: ${speed.pages} pages of ${speed.chars} characters, ${speed.rounds} rounds after one that warms up, deobfuscate = all, one thread, time of the processor`,
        `quality: every page of ${quality.seeds.length} generated regions of ${quality.size} businesses, five languages, page by page against what was put there; ` +
          "asset names, placeholders and impossible domains fail the bench",
      ],
    };
  },
};
