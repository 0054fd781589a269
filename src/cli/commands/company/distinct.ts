import { usageError } from "../../../base/usage-error.ts";
import { auditedRecords, distinctChanges } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord } from "./parts/find-record.ts";

export const companyDistinct: Command = {
  needs: "settings",
  arguments: [
    { name: "one", summary: "a company" },
    { name: "other", summary: "a similar company that is a different one" },
  ],
  options: [sourceOption],
  examples: [
    { line: "forager company distinct acme acme-2", summary: "do not suggest them again" },
  ],
  details: ["Stored for both, on all nodes: they are neither listed as duplicates nor merged."],

  async run(context) {
    const { args, out } = context;
    await using opened = await openNodeOf(context);
    const one = await findRecord(opened, "company", args[0] ?? "");
    const other = await findRecord(opened, "company", args[1] ?? "");
    if (one.target === other.target) throw usageError(`${args[0]} and ${args[1]} are one company`);
    await using _state = await context.recordState(() =>
      auditedRecords(opened.ledger, [one.target, other.target]),
    );
    const changes = distinctChanges(one.target, other.target);
    await opened.records.write({ source: sourceOf(context), changes });
    out.result(
      { one: one.target, other: other.target },
      `${one.slug} and ${other.slug} are two companies`,
    );
  },
};
