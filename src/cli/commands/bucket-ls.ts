import { listLimitMax } from "../../bucket/index.ts";
import type { Command } from "../command.ts";
import { parseCount, textFlag } from "../flags.ts";
import { addressArgument, keyAsUsage, openPatientBucket } from "./bucket/open-bucket.ts";

export const bucketLs: Command = {
  needs: "nothing",
  arguments: [
    addressArgument,
    { name: "prefix", summary: "only keys that begin so", isOptional: true },
  ],
  options: [
    { flag: "--limit", value: "count", summary: "at most so many", default: "100" },
    { flag: "--start-after", value: "key", summary: "only keys behind this one" },
  ],
  examples: [
    { line: "forager bucket ls s3://fleet", summary: "the first 100 objects" },
    { line: "forager bucket ls dir:bucket lease/", summary: "who holds which role" },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const limit = parseCount("limit", textFlag(flags, "limit") ?? "100");
    const prefix = args[1] ?? "";
    await using bucket = await openPatientBucket(context);
    const found = [];
    let startAfter = textFlag(flags, "startAfter") ?? "";
    while (found.length < limit) {
      const pageLimit = Math.min(listLimitMax, limit - found.length);
      const page = await keyAsUsage(() => bucket.list(prefix, { startAfter, limit: pageLimit }));
      found.push(...page);
      if (page.length < pageLimit) break;
      startAfter = page.at(-1)!.key;
    }
    out.table(found, [
      { title: "modified", value: ({ modifiedAtMs }) => new Date(modifiedAtMs).toISOString() },
      { title: "bytes", value: ({ bytes }) => bytes },
      { title: "key", value: ({ key }) => key, isNeverCut: true },
    ]);
    if (found.length === limit) out.note(`there may be more: --start-after ${found.at(-1)?.key}`);
  },
};
