import type { Datagram } from "../../../ledger/index.ts";
import { readLog } from "../../../node/index.ts";
import type { Command } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { textFlag } from "../../options/flags.ts";
import { pageOption, readListPage } from "../../terminal/list-page.ts";
import { datagramColumns } from "./field-columns.ts";

export const ledgerLog: Command = {
  needs: "settings",
  options: [
    { flag: "--target", value: "target", summary: "only this one" },
    { flag: "--field", value: "field", summary: "only this one" },
    { flag: "--limit", value: "count", summary: "rows per page", default: "100" },
    { ...pageOption, summary: "this page, from 1: the newest" },
  ],
  examples: [
    { line: "forager ledger log --limit 20", summary: "the newest changes" },
    { line: "forager ledger log --target company/1a2b", summary: "the changes of a company" },
  ],
  details: [
    "Writes that a checkpoint covers are not in the journal any more; `ledger show --at` reads them.",
  ],

  async run(context) {
    const { flags, out } = context;
    const { limit, skip } = readListPage(flags, 100);
    const [target, field] = [textFlag(flags, "target"), textFlag(flags, "field")];
    await using node = await openReaderOf(context);
    async function* matching() {
      for await (const page of readLog(node.ledger)) {
        yield page
          .filter((one) => target === undefined || one.target === target)
          .filter((one) => field === undefined || one.field === field);
      }
    }
    async function* rows() {
      let last: readonly Datagram[] = [];
      for await (const some of matching()) {
        if (limit === Infinity) yield* some;
        else last = [...last, ...some].slice(-(skip + limit));
      }
      yield* skip === 0 ? last : last.slice(0, -skip).slice(-limit);
    }
    await out.list(rows(), {
      columns: datagramColumns,
      empty: "nothing matches, or a checkpoint covers it: see `forager ledger show TARGET`",
    });
  },
};
