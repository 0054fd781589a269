import { asUsage } from "../../../base/usage-error.ts";
import { auditedRecords, deleteRecord, type RecordKind } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";

const deleteCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  options: [{ flag: "--yes", summary: "do not ask" }, sourceOption],
  examples: [
    { line: `forager ${kind} delete acme`, summary: "asks first, and prints how to undo it" },
    { line: `forager ${kind} delete acme --yes`, summary: "without a question" },
  ],
  details: [
    "Removes all fields, notes and the folder, on every node. The history stays, so `restore` brings it\n" +
      "back. An import or a campaign that finds it again adds it again: to keep a company out, use\n" +
      "`exclude`; to erase personal data for good, use `forget`.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    await using opened = await openNodeOf(context);
    const { target, slug, name } = await findRecord(opened, kind, args[0]!);
    const isSure = await context.confirm(`delete ${slug} (${name})?`, {
      yes: flags["yes"] === true,
    });
    if (!isSure) {
      out.note("nothing was deleted");
      return "failed";
    }
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const request = { target, source: sourceOf(context) };
    const { fields, before } = await asUsage(() => deleteRecord(opened, request));
    const undo = `forager ${kind} restore ${target} --at ${before} --yes`;
    out.result({ target, slug, fields, undo }, `deleted ${slug}; undo with: ${undo}`);
  },
});

export const companyDelete = deleteCommand("company");
export const personDelete = deleteCommand("person");
