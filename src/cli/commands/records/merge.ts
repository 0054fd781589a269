import { countOf } from "../../../base/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { Twins } from "../../../records/index.ts";
import type { Command } from "../../command.ts";
import { parseCount, textFlag } from "../../flags.ts";
import { sourceOf, sourceOption } from "../../source-option.ts";
import { findRecord } from "./find-record.ts";
import { openNodeOf, openReaderOf } from "../../node-context.ts";
import { recordOf } from "./record-columns.ts";

export const companyMerge: Command = {
  needs: "settings",
  arguments: [
    { name: "from", summary: "the one that goes; its folder leads on to the other" },
    { name: "into", summary: "the one that stays" },
  ],
  options: [{ flag: "--yes", summary: "do not ask" }, sourceOption],
  examples: [
    { line: "forager company merge acme-2 acme", summary: "what acme does not know comes over" },
    { line: "forager company duplicates", summary: "which ones may be the same" },
  ],
  details: ["History stays, and what is written to the one that went counts for the other."],

  async run(context) {
    const { args, flags, out } = context;
    const [fromName = "", intoName = ""] = args;
    await using opened = await openNodeOf(context);
    const from = await findRecord(opened, "company", fromName);
    const into = await findRecord(opened, "company", intoName);
    if (from.target === into.target)
      throw usageError(`${fromName} and ${intoName} are one already`);
    const question = `merge ${from.slug} (${from.name}) into ${into.slug} (${into.name})?`;
    if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was merged");
      return "failed";
    }
    const request = { from: from.target, into: into.target, source: sourceOf(context) };
    const { fields } = await asUsage(() => opened.records.merge(request));
    out.result(
      { from: from.target, into: into.target, fields },
      `${from.slug} is ${into.slug} now; ${countOf(fields, "field")} came over`,
    );
  },
};

export const companyDuplicates: Command = {
  needs: "settings",
  options: [{ flag: "--limit", value: "count", summary: "how many groups", default: "50" }],
  examples: [{ line: "forager company duplicates", summary: "companies that may be the same" }],
  details: ["`forager company merge FROM INTO` joins two."],

  async run(context) {
    const { flags, out } = context;
    const limit = parseCount("limit", textFlag(flags, "limit") ?? "50");
    await using reader = await openReaderOf(context);
    const { records } = reader;
    const slugOf = async (target: string) => {
      const found = await records.find(target);
      return found ? recordOf(found).slug : target;
    };
    const groups = await Promise.all(
      (await records.twins(limit)).map(async (one) => {
        return { ...one, slugs: await Promise.all(one.targets.map(slugOf)) };
      }),
    );
    out.table<Twins & { readonly slugs: readonly string[] }>(groups, [
      { title: "same", value: ({ because }) => because },
      { title: "value", value: ({ value }) => value },
      { title: "companies", value: ({ slugs }) => slugs.join(", "), isNeverCut: true },
    ]);
  },
};
