import {
  newestSuppressed,
  suppressionKinds,
  suppressionRows,
  type SuppressionKind,
} from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { emptyPageText, listPageOptions, readListPage } from "../../terminal/list-page.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { countryOption, readKeys, valueArgument } from "./read-keys.ts";

export const suppressList: Command = {
  needs: "settings",
  arguments: [{ ...valueArgument, isOptional: true, summary: "only check if these are listed" }],
  options: [
    { flag: "--kind", value: "kind", summary: "only these", choices: suppressionKinds },
    countryOption,
    ...listPageOptions("all"),
  ],
  examples: [
    { line: "forager suppress list", summary: "kind, date, author and reason of each entry" },
    { line: "forager suppress list anna@acme.example", summary: "is this address listed?" },
  ],
  details: [
    "The list holds hashes, not values: give a value to ask for it. With values, exits 1 unless all of\n" +
      "them are listed, by themselves, by a domain, or because they were forgotten. Entries are in order of\n" +
      "their hashes; with --limit or --page the newest come first.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const kind = textFlag(flags, "kind") as SuppressionKind | undefined;
    const page = readListPage(flags, "all");
    await using reader = await openReaderOf(context);
    if (args.length > 0) {
      const keys = readKeys(args, textFlag(flags, "country"));
      const listed = new Set(await reader.ledger.suppressed(keys));
      const rows = args.map((value, at) => ({ value, isListed: listed.has(keys[at]!) }));
      out.table(rows, [
        { title: "value", value: ({ value }) => value, isKey: true },
        { title: "listed", value: ({ isListed }) => (isListed ? "yes" : "no") },
      ]);
      return rows.every(({ isListed }) => isListed) ? undefined : "failed";
    }
    const { ledger } = reader;
    async function* rows() {
      if (page.limit < Infinity) {
        const newest = await newestSuppressed(ledger, { kind, limit: page.skip + page.limit });
        yield* newest.slice(page.skip);
        return;
      }
      for await (const row of suppressionRows(ledger))
        if (kind === undefined || row.kind === kind) yield row;
    }
    await out.list(rows(), {
      columns: [
        { title: "entry", value: ({ id }) => id, isKey: true },
        { title: "kind", value: (row) => row.kind },
        { title: "added", value: ({ at }) => at.slice(0, 19).replace("T", " ") },
        { title: "by", value: ({ source }) => source },
        { title: "reason", value: ({ reason }) => reason ?? "" },
      ],
      empty: emptyPageText(page, "nothing is listed: `forager suppress add VALUE` adds an entry"),
    });
  },
};
