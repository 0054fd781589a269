import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { auditedRecords } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord } from "./parts/find-record.ts";

export const companyMerge: Command = {
  needs: "settings",
  arguments: [
    { name: "from", summary: "the one that is removed; its folder redirects to the other" },
    { name: "into", summary: "the one that stays" },
  ],
  options: [{ flag: "--yes", summary: "do not ask" }, sourceOption],
  examples: [
    { line: "forager company merge acme-2 acme", summary: "fields that acme lacks are copied" },
    { line: "forager company duplicates", summary: "list companies that may be the same" },
  ],
  details: [
    "The history is kept, and later changes of the removed company apply to the other.\n" +
      "`forager company unmerge acme-2` undoes it.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [fromName = "", intoName = ""] = args;
    await using opened = await openNodeOf(context);
    const from = await findRecord(opened, "company", fromName);
    const into = await findRecord(opened, "company", intoName);
    if (from.target === into.target)
      throw usageError(`${fromName} and ${intoName} are already merged`);
    const question = `merge ${from.slug} (${from.name}) into ${into.slug} (${into.name})?`;
    if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was merged");
      return "failed";
    }
    const request = { from: from.target, into: into.target, source: sourceOf(context) };
    await using _state = await context.recordState(() =>
      auditedRecords(opened.ledger, [from.target, into.target]),
    );
    const { fields } = await asUsage(() => opened.records.merge(request));
    out.result(
      { from: from.target, into: into.target, fields },
      `${from.slug} was merged into ${into.slug}; ${countOf(fields, "field")} copied`,
    );
  },
};
