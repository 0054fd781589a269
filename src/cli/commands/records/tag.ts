import { asUsage, usageError } from "../../../base/usage-error.ts";
import { auditedRecords, type RecordKind } from "../../../records/index.ts";
import type { Command } from "../../command.ts";
import { sourceOf, sourceOption } from "../../source-option.ts";
import { findRecord, nameArgument } from "./find-record.ts";
import { openNodeOf } from "../../node-context.ts";

const tagCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind), { name: "tag", summary: "one or more", isRepeated: true }],
  options: [{ flag: "--remove", summary: "take them off" }, sourceOption],
  examples: [
    { line: `forager ${kind} tag acme vip trade-fair`, summary: "two at once" },
    { line: `forager ${kind} tag acme vip --remove`, summary: "no longer" },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...tags] = args;
    if (tags.some((tag) => tag.trim() === "")) throw usageError("a tag is not empty");
    await using opened = await openNodeOf(context);
    const { target, slug } = await findRecord(opened, kind, name);
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const isRemoved = flags["remove"] === true;
    const changes = tags.map((tag) => {
      const field = `tag/${tag.trim()}`;
      return isRemoved ? { target, field, unset: true as const } : { target, field, value: true };
    });
    await asUsage(() => opened.records.write({ source: sourceOf(context), changes }));
    const { tags: now } = await findRecord(opened, kind, target);
    out.result({ target, slug, tags: now }, `${slug}: ${now.join(", ") || "no tags"}`);
  },
});

export const companyTag = tagCommand("company");
export const personTag = tagCommand("person");

export const companyExclude: Command = {
  needs: "settings",
  arguments: [
    nameArgument("company"),
    { name: "reason", summary: "why", isOptional: true, isRepeated: true },
  ],
  options: [{ flag: "--undo", summary: "take it in again" }, sourceOption],
  examples: [
    { line: "forager company exclude acme competitor", summary: "left out of campaigns and lists" },
    { line: "forager company exclude acme --undo", summary: "take it in again" },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...words] = args;
    const isUndone = flags["undo"] === true;
    const reason = words.join(" ").trim();
    if (!isUndone && reason === "") throw usageError("why? write the reason behind the name");
    await using opened = await openNodeOf(context);
    const { target, slug } = await findRecord(opened, "company", name);
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const change = isUndone ? { unset: true as const } : { value: reason };
    const changes = [{ target, field: "excluded", ...change }];
    await asUsage(() => opened.records.write({ source: sourceOf(context), changes }));
    out.result(
      { target, slug, excluded: isUndone ? null : reason },
      isUndone ? `${slug} is taken in again` : `${slug} is excluded: ${reason}`,
    );
  },
};
