import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { Change } from "../../../ledger/index.ts";
import { auditedRecords } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { listFlag } from "../../options/flags.ts";
import { parseAssignment } from "../../options/assignments.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";

export const ledgerSet: Command = {
  needs: "settings",
  arguments: [
    { name: "target", summary: "such as company/1a2b" },
    {
      name: "assignment",
      summary: "FIELD=TEXT, or FIELD:=JSON for other values",
      isOptional: true,
      isRepeated: true,
    },
  ],
  options: [
    { flag: "--unset", value: "field", summary: "remove the value", isRepeated: true },
    sourceOption,
  ],
  examples: [
    { line: "forager ledger set company/1a2b phone=+4989123", summary: "a value of your own" },
    {
      line: "forager ledger set company/1a2b rating:=4.5 --unset fax",
      summary: "set one field and remove another",
    },
  ],
  details: [
    "Values that change nothing are not written. One call is one commit: all of it or nothing.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [target = "", ...assignments] = args;
    const unset = (listFlag(flags, "unset") ?? []).map((field) => ({
      target,
      field,
      unset: true as const,
    }));
    const changes = [...assignments.map((text) => changeOf(target, text)), ...unset];
    if (changes.length === 0) throw usageError("which field? give FIELD=TEXT or --unset FIELD");
    const source = sourceOf({ flags });
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(() => auditedRecords(node.ledger, [target]));
    const { datagrams, cut } = await asUsage(() => node.ledger.write({ source, changes }));
    const words =
      datagrams.length === 0
        ? "nothing changed: the values are the same"
        : `${datagrams.length} of ${changes.length} fields of ${target} changed`;
    out.result({ target, changed: datagrams.map(({ field }) => field), cut }, words);
  },
};

function changeOf(target: string, assignment: string): Change {
  const { field, value } = parseAssignment(assignment);
  if (value === null) throw usageError(`${field}: null means not known; --unset takes it away`);
  return { target, field, value };
}
