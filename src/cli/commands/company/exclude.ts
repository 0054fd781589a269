import { asUsage, usageError } from "../../../base/usage-error.ts";
import { auditedRecords } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { openNodeOf } from "../../frame/node-context.ts";

export const companyExclude: Command = {
  needs: "settings",
  arguments: [
    nameArgument("company"),
    { name: "reason", summary: "why", isOptional: true, isRepeated: true },
  ],
  options: [{ flag: "--undo", summary: "include it again" }, sourceOption],
  examples: [
    {
      line: "forager company exclude acme competitor",
      summary: "leave it out of campaigns and lists",
    },
    { line: "forager company exclude acme --undo", summary: "include it again" },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...words] = args;
    const isUndone = flags["undo"] === true;
    const reason = words.join(" ").trim();
    if (!isUndone && reason === "") throw usageError("why? write the reason after the name");
    await using opened = await openNodeOf(context);
    const { target, slug } = await findRecord(opened, "company", name);
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const change = isUndone ? { unset: true as const } : { value: reason };
    const changes = [{ target, field: "excluded", ...change }];
    await asUsage(() => opened.records.write({ source: sourceOf(context), changes }));
    out.result(
      { target, slug, excluded: isUndone ? null : reason },
      isUndone ? `${slug} is included again` : `${slug} is excluded: ${reason}`,
    );
  },
};
