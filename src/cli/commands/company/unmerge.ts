import { asUsage } from "../../../base/usage-error.ts";
import { auditedRecords, unmergeCompany } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord } from "./parts/find-record.ts";

export const companyUnmerge: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "the merged company, by its old folder or its id" }],
  options: [sourceOption],
  examples: [{ line: "forager company unmerge acme-2", summary: "separate them again" }],
  details: [
    "Copied fields that were not changed since are moved back. The two are marked as distinct, so they are\n" +
      "not merged again automatically. If several were merged into one, name the one by company/ID.",
  ],

  async run(context) {
    const { args, out } = context;
    const [name = ""] = args;
    await using opened = await openNodeOf(context);
    const into = await findRecord(opened, "company", name);
    await using _state = await context.recordState(() =>
      auditedRecords(opened.ledger, [into.target]),
    );
    const request = { into: into.target, name, source: sourceOf(context) };
    const { from, slug } = await asUsage(() => unmergeCompany(opened, request));
    out.result({ from, into: into.target }, `${slug} and ${into.slug} are two companies again`);
  },
};
