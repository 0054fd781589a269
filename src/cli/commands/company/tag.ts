import { asUsage, usageError } from "../../../base/usage-error.ts";
import { auditedRecords, type RecordKind } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const tagCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind), { name: "tag", summary: "one or more tags", isRepeated: true }],
  options: [{ flag: "--remove", summary: "remove them" }, sourceOption],
  examples: [
    { line: `forager ${kind} tag acme vip trade-fair`, summary: "two at once" },
    { line: `forager ${kind} tag acme vip --remove`, summary: "no longer" },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [name = "", ...tags] = args;
    if (tags.some((tag) => tag.trim() === "")) throw usageError("a tag must not be empty");
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
