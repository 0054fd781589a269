import { listLimitMax, type ListedObject } from "../../bucket/index.ts";
import type { Command } from "../command.ts";
import { parseCount, textFlag } from "../flags.ts";
import type { TableColumn } from "../table.ts";
import {
  keyAsUsage,
  openPatientBucket,
  optionalAddressArgument,
  withAddress,
} from "./bucket/open-bucket.ts";

export const bucketLs: Command = {
  needs: "settings",
  arguments: [
    optionalAddressArgument,
    { name: "prefix", summary: "only keys that begin so", isOptional: true },
  ],
  options: [
    { flag: "--limit", value: "count", summary: "maximum number of objects", default: "100" },
    { flag: "--start-after", value: "key", summary: "only keys behind this one" },
  ],
  examples: [
    { line: "forager bucket ls", summary: "the first 100 objects of the fleet's bucket" },
    {
      line: "forager bucket ls 's3://fleet?endpoint=https://minio.example.org:9000&region=us-east-1'",
      summary: "of a store with an endpoint of its own",
    },
    { line: "forager bucket ls dir:bucket lease/", summary: "who holds which role" },
  ],

  async run(given) {
    const context = await withAddress(given);
    const { args, flags, out, signal } = context;
    const limit = parseCount("limit", textFlag(flags, "limit") ?? "100");
    const prefix = args[1] ?? "";
    await using bucket = await openPatientBucket(context);
    let startAfter = textFlag(flags, "startAfter") ?? "";
    async function* objects() {
      for (let left = limit; left > 0 && !signal.aborted;) {
        const pageLimit = Math.min(listLimitMax, left);
        const page = await keyAsUsage(() => bucket.list(prefix, { startAfter, limit: pageLimit }));
        yield* page;
        if (page.length < pageLimit) return;
        left -= page.length;
        startAfter = page.at(-1)!.key;
      }
    }
    const count = await out.list(objects(), {
      columns,
      empty: prefix === "" ? "the bucket is empty" : `nothing begins with ${prefix}`,
    });
    if (count === limit) out.note(`there may be more: --start-after ${startAfter}`);
  },
};

const columns: readonly TableColumn<ListedObject>[] = [
  { title: "modified", value: ({ modifiedAtMs }) => new Date(modifiedAtMs).toISOString() },
  { title: "bytes", value: ({ bytes }) => bytes },
  { title: "key", value: ({ key }) => key, isNeverCut: true },
];
