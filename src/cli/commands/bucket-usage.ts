import { listLimitMax } from "../../bucket/index.ts";
import type { Command } from "../command.ts";
import { addressArgument, keyAsUsage, openPatientBucket } from "./bucket/open-bucket.ts";

export const bucketUsage: Command = {
  needs: "nothing",
  arguments: [
    addressArgument,
    { name: "prefix", summary: "only keys that begin so", isOptional: true },
  ],
  examples: [
    { line: "forager bucket usage s3://fleet", summary: "objects and bytes by folder" },
    { line: "forager bucket usage dir:bucket wal/", summary: "the same below wal/" },
  ],
  details: ["Lists every object: on S3 that costs $0.005 for each million of them."],

  async run(context) {
    const { args, out, signal } = context;
    const prefix = args[1] ?? "";
    await using bucket = await openPatientBucket(context);
    const folders = new Map<string, { objects: number; bytes: number }>();
    let startAfter = "";
    for (;;) {
      signal.throwIfAborted();
      const page = await keyAsUsage(() => bucket.list(prefix, { startAfter, limit: listLimitMax }));
      for (const { key, bytes } of page) {
        const slash = key.indexOf("/", prefix.length);
        const folder = slash < 0 ? "(here)" : key.slice(0, slash + 1);
        const sum = folders.get(folder) ?? { objects: 0, bytes: 0 };
        folders.set(folder, { objects: sum.objects + 1, bytes: sum.bytes + bytes });
      }
      if (page.length < listLimitMax) break;
      startAfter = page.at(-1)!.key;
    }
    const rows = [...folders].map(([folder, sum]) => ({ folder, ...sum }));
    out.table(rows, [
      { title: "folder", value: ({ folder }) => folder },
      { title: "objects", value: ({ objects }) => objects },
      { title: "bytes", value: ({ bytes }) => bytes },
    ]);
  },
};
