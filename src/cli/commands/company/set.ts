import { asUsage } from "../../../base/usage-error.ts";
import { auditedRecords, fieldToUnset, type RecordKind } from "../../../records/index.ts";
import type { Change } from "../../../ledger/index.ts";
import type { NodeApi } from "../../../node/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { readAssignments } from "./parts/read-assignments.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const setCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [
    nameArgument(kind),
    {
      name: "assignment",
      summary: "FIELD=TEXT, or FIELD:=JSON for other values",
      isRepeated: true,
    },
  ],
  options: [
    { flag: "--country", value: "country", summary: "two letters, for phone numbers without code" },
    sourceOption,
  ],
  examples: [
    { line: `forager ${kind} set acme city=Austin email=jane@acme.example`, summary: "lists grow" },
    { line: `forager ${kind} set acme name="Acme Ltd"`, summary: "this also renames the folder" },
    { line: `forager ${kind} set acme x/revenue:=1200000`, summary: "a custom field" },
  ],
  details: [
    "Your value overrides collected ones until you unset it. `slug=NAME` renames the folder;\n" +
      "the old one redirects to it.",
  ],

  async run(context) {
    const { args, flags, out, clock } = context;
    const [name = "", ...assignments] = args;
    const slug = assignments.find((one) => one.startsWith("slug="))?.slice("slug=".length);
    const fields = await readAssignments(
      assignments.filter((one) => !one.startsWith("slug=")),
      { kind, isNew: false, country: textFlag(flags, "country"), nowMs: clock.nowMs() },
    );
    await using opened = await openNodeOf(context);
    const { target } = await findRecord(opened, kind, name);
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const { name: newName, ...rest } = fields;
    const source = sourceOf(context);
    const changes = Object.entries(rest).map(([field, value]) => ({ target, field, value }));
    const written = await writeAll(opened, { source, changes });
    const isRenamed = typeof newName === "string" || slug !== undefined;
    if (isRenamed) {
      await asUsage(() =>
        opened.records.rename({
          kind,
          name: target,
          source,
          ...(typeof newName === "string" && { newName }),
          ...(slug !== undefined && { newSlug: slug }),
        }),
      );
    }
    const record = await findRecord(opened, kind, target);
    const changed = [...(isRenamed ? ["name"] : []), ...written];
    const file = await opened.records.fileOf(target);
    out.result(
      { target, slug: record.slug, file, changed },
      changed.length === 0
        ? "nothing changed: the values are the same"
        : `${changed.join(", ")} of ${record.slug} changed`,
    );
  },
});

const unsetCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [
    nameArgument(kind),
    { name: "field", summary: "such as city, or email/jane@acme.example", isRepeated: true },
  ],
  options: [sourceOption],
  examples: [
    { line: `forager ${kind} unset acme rating`, summary: "remove the rating" },
    {
      line: `forager ${kind} unset acme email/jane@acme.example`,
      summary: "one element of a list",
    },
  ],
  details: ["Your own value is removed: values that are collected from now on count again."],

  async run(context) {
    const { args, out } = context;
    const [name = "", ...fields] = args;
    await using opened = await openNodeOf(context);
    const record = await findRecord(opened, kind, name);
    const { target } = record;
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const chosen = await asUsage(async () => fields.map((field) => fieldToUnset(record, field)));
    const changes = chosen.map((field) => ({ target, field, unset: true as const }));
    const source = sourceOf(context);
    const changed = await writeAll(opened, { source, changes });
    out.result(
      { target, changed },
      changed.length === 0
        ? `nothing changed: ${fields.join(", ")} had no value`
        : `${changed.join(", ")} of ${record.slug} removed`,
    );
  },
});

async function writeAll(
  { records }: Pick<NodeApi, "records">,
  commit: { readonly source: string; readonly changes: readonly Change[] },
): Promise<readonly string[]> {
  if (commit.changes.length === 0) return [];
  const { datagrams } = await asUsage(() => records.write(commit));
  return datagrams.map(({ field }) => field);
}

export const companySet = setCommand("company");
export const personSet = setCommand("person");
export const companyUnset = unsetCommand("company");
export const personUnset = unsetCommand("person");
