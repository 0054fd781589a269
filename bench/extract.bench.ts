import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import type { QualityInput, SpeedInput } from "./ours/extract-sides.ts";

const module = new URL("./ours/extract-sides.ts", import.meta.url);
const speed: SpeedInput = { pages: 40, chars: 100_000, warmRounds: 3, rounds: 8 };
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
            clockMs: measured["clockMs"]!,
            cpuMs: measured["cpuMs"]!,
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
        extractMsPer100Kb: runs.speed["clockMs"]!,
        extractCpuMsPer100Kb: runs.speed["cpuMs"]!,
        extractRssMb: runs.speed["rssMb"]!,
        emailRecall: runs.quality["emailRecall"]!,
        emailPrecision: runs.quality["emailPrecision"]!,
        phoneF1: runs.quality["phoneF1"]!,
        socialF1: runs.quality["socialF1"]!,
      },
      notes: [
        `speed: ${speed.pages} pages of ${speed.chars} characters, ${speed.rounds} rounds after ${speed.warmRounds} that warm up, deobfuscate = all, one thread; ` +
          "ms by the clock, the median page; CpuMs of the whole process, V8's other threads included, by all pages",
        `quality: every page of ${quality.seeds.length} generated regions of ${quality.size} businesses, five languages, page by page against what was put there; ` +
          "asset names, placeholders and impossible domains fail the bench",
      ],
    };
  },
};
