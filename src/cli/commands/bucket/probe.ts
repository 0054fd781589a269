import { systemRandom } from "../../../base/random.ts";
import { probeBucket } from "../../../bucket/index.ts";
import type { Command } from "../../frame/command.ts";
import { addressArgument, openRawBucket } from "./open-bucket.ts";

export const bucketProbe: Command = {
  needs: "settings",
  arguments: [addressArgument],
  examples: [
    { line: "forager bucket probe s3://fleet", summary: "can this store coordinate a fleet?" },
    { line: "forager bucket probe dir:bucket --json", summary: "the verdict for a program" },
  ],
  details: [
    "Writes about 160 small objects under probe/ and removes them. Exits 1 if the store is",
    "not fit: then no queue and no hub can use it.",
  ],

  async run({ args, clock, out }) {
    await using bucket = await openRawBucket(args[0] ?? "");
    const report = await probeBucket({ bucket, clock, random: systemRandom });
    out.result(report, (layout) => {
      const table = layout.table(report.steps, [
        { title: "step", value: ({ name }) => name },
        {
          title: "state",
          value: ({ state }) => state,
          tint: ({ state }) => (state === "ok" ? "good" : "bad"),
        },
        { title: "detail", value: ({ detail }) => detail, isNeverCut: true },
      ]);
      const traits = Object.entries(report.traits).map(([name, value]) => `${name}: ${value}\n`);
      return `${table}\n${traits.join("")}${report.isFit ? "fit" : "not fit"} for a fleet`;
    });
    if (!report.isFit) return "failed";
  },
};
