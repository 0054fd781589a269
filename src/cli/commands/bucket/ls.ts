import { listLimitMax, type ListedObject } from "../../../bucket/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { emptyPageText, listPageOptions, moreRowsText, readListPage, rowsOfPage } from "../../terminal/list-page.ts"; // prettier-ignore
import type { TableColumn } from "../../terminal/table.ts";
import {
  keyAsUsage,
  openBucketToRead,
  optionalAddressArgument,
  withAddress,
} from "./open-bucket.ts";

export const bucketLs: Command = {
  needs: "settings",
  arguments: [
    optionalAddressArgument,
    { name: "prefix", summary: "only keys with this prefix", isOptional: true },
  ],
  options: [
    ...listPageOptions(100),
    { flag: "--start-after", value: "key", summary: "only keys after this one" },
  ],
  examples: [
    { line: "forager bucket ls", summary: "the first 100 objects of the fleet's bucket" },
    {
      line: "forager bucket ls 's3://fleet?endpoint=https://minio.example.org:9000&region=us-east-1'",
      summary: "in a store with another endpoint",
    },
    { line: "forager bucket ls dir:bucket lease/", summary: "who holds which role" },
  ],

  async run(given) {
    const context = await withAddress(given);
    const { args, flags, out, signal } = context;
    const asked = readListPage(flags, 100);
    const prefix = args[1] ?? "";
    await using bucket = await openBucketToRead(context);
    let startAfter = textFlag(flags, "startAfter") ?? "";
    async function* objects() {
      // One more than requested, to find out if there are more.
      const limit = Math.min(listLimitMax, asked.skip + asked.limit + 1);
      for (;;) {
        const page = await keyAsUsage(() => bucket.list(prefix, { startAfter, limit }));
        yield* page;
        if (page.length < limit || signal.aborted) return;
        startAfter = page.at(-1)!.key;
      }
    }
    const paged = rowsOfPage(objects(), asked);
    const empty = prefix === "" ? "the bucket is empty" : `no key begins with ${prefix}`;
    await out.list(paged.rows, { columns, empty: emptyPageText(asked, empty) });
    if (paged.hasMore()) out.note(moreRowsText(asked));
  },
};

const columns: readonly TableColumn<ListedObject>[] = [
  { title: "modified", value: ({ modifiedAtMs }) => new Date(modifiedAtMs).toISOString() },
  { title: "bytes", value: ({ bytes }) => bytes },
  { title: "key", value: ({ key }) => key, isNeverCut: true },
];
