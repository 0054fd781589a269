import { existingBucketAddress } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import {
  auditedRecords,
  findDeleted,
  type HistoryEntry,
  type RecordKind,
} from "../../../records/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command, OptionSpec, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import {
  emptyPageText,
  listPageOptions,
  moreRowsText,
  readListPage,
} from "../../terminal/list-page.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { parseMoment } from "./parts/parse-moment.ts";
import { createRecordNames, fieldWithName, linkIn, withName } from "./parts/record-names.ts";
import { showDifferences } from "./parts/show-differences.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";

const fieldOption: OptionSpec = {
  flag: "--field",
  value: "field",
  summary: "only this field or list: city, email, note",
};

const historyCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  options: [fieldOption, ...listPageOptions(100), bucketOption],
  examples: [
    { line: `forager ${kind} history acme --field name`, summary: "who wrote what, and when" },
    {
      line: `forager ${kind} history acme --bucket s3://fleet`,
      summary: "including changes before the checkpoint",
    },
  ],
  details: [
    "An asterisk marks the current value. Changes before the last checkpoint are in the bucket's archive.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const page = readListPage(flags, 100);
    const field = textFlag(flags, "field");
    await using opened = await openReaderOf(context);
    const { target } = await findRecord(opened, kind, args[0]!);
    const archive = await archiveOf(context, opened.ledger);
    const entries = await asUsage(() =>
      opened.records.history({
        kind,
        name: target,
        ...(field !== undefined && { field }),
        ...archive,
      }),
    );
    const rows = entries.slice(page.skip, page.skip + page.limit);
    const names = createRecordNames(opened);
    await names.learn(rows.flatMap((one) => [linkIn(one.field), mergedInto(one)]).filter(isText));
    await out.list(rows, {
      columns: columnsOf(names.nameOf),
      empty: emptyPageText(
        page,
        field === undefined ? "nothing was written" : `nothing was ever written to ${field}`,
      ),
    });
    if (entries.length > page.skip + rows.length) out.note(moreRowsText(page));
  },
});

const restoreCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  options: [
    {
      flag: "--at",
      value: "moment",
      summary: "the time to restore: 2026-11-15T12:00:00Z, or 2h (ago)",
    },
    fieldOption,
    { flag: "--yes", summary: "do not ask" },
    sourceOption,
    bucketOption,
  ],
  examples: [
    { line: `forager ${kind} restore acme --field name --at 2026-11-15`, summary: "one field" },
    { line: `forager ${kind} restore acme --at 2h`, summary: "all fields, as of two hours ago" },
    { line: `forager ${kind} restore acme`, summary: "undo its deletion" },
  ],
  details: [
    "The differences are shown first. Old values are written as a new change, which can be undone in the same way or by\n" +
      "`forager undo`; the history is kept.",
  ],

  async run(context) {
    const { args, flags, out, clock } = context;
    const at = textFlag(flags, "at");
    const field = textFlag(flags, "field");
    await using opened = await openNodeOf(context);
    const { target, slug, wholeAt } = await findOrDeleted(opened, kind, args[0]!);
    const wanted = at ?? wholeAt;
    if (wanted === undefined) throw usageError("which time? give --at TIME");
    const moment = parseMoment("--at", wanted, { nowMs: clock.nowMs(), direction: "past" });
    const archive = await archiveOf(context, opened.ledger);
    const request = {
      kind,
      name: target,
      atMs: Date.parse(moment),
      ...(field !== undefined && { field }),
      ...archive,
    };
    const differences = await asUsage(() => opened.records.planRestore(request));
    if (differences.length === 0) {
      const text = `nothing changed: ${slug} is as it was at ${moment}`;
      return out.result({ target, at: moment, restored: [], differences }, text);
    }
    showDifferences(out, differences);
    const question = `write ${countOf(differences.length, "field")} of ${slug} as of ${moment}?`;
    if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was restored");
      return "failed";
    }
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    const source = sourceOf(context);
    const { datagrams } = await asUsage(() => opened.records.restoreAt({ ...request, source }));
    const restored = datagrams.map((one) => one.field);
    out.result(
      { target, at: moment, restored, differences },
      `${restored.join(", ")} of ${slug} as of ${moment}`,
    );
  },
});

/** A deleted record has no folder: it is found by its id or by its former name. */
async function findOrDeleted(
  opened: Pick<NodeReadApi, "records" | "ledger">,
  kind: RecordKind,
  name: string,
): Promise<{ readonly target: string; readonly slug: string; readonly wholeAt?: string }> {
  if ((await opened.records.resolve(kind, name)) !== undefined) {
    return await findRecord(opened, kind, name);
  }
  if (name.startsWith(`${kind}/`)) return { target: name, slug: name };
  const deleted = await asUsage(() => findDeleted(opened.ledger, kind, name));
  return deleted ? { ...deleted, slug: name } : await findRecord(opened, kind, name);
}

/** The bucket, if one is configured, has the changes from before the checkpoint. */
async function archiveOf(
  context: SettingsContext,
  ledger: NodeReadApi["ledger"],
): Promise<{ readonly bucket?: string }> {
  const isAsked = textFlag(context.flags, "bucket") !== undefined;
  const hasBucket = context.settings.bucket.url !== undefined;
  const isNeeded = hasBucket && (await ledger.status()).checkpoint > 0;
  if (!isAsked && !isNeeded) return {};
  return { bucket: await existingBucketAddress(fleetOf(context)) };
}

/** The company into which this one was merged. */
const mergedInto = ({ field, value }: HistoryEntry) =>
  field === "mergedInto" && typeof value === "string" ? value : undefined;

const isText = (value: string | undefined): value is string => value !== undefined;

const columnsOf = (nameOf: (target: string) => string): readonly TableColumn<HistoryEntry>[] => [
  { title: "", value: ({ isShown }) => (isShown ? "*" : "") },
  { title: "when", value: ({ stamp }) => stamp.slice(0, 19).replace("T", " "), isKey: true },
  {
    title: "field",
    value: ({ field }) => fieldWithName(field, nameOf),
    isKey: true,
  },
  {
    title: "value",
    value: (entry) =>
      entry.value === undefined
        ? "(unset)"
        : withName(JSON.stringify(entry.value), mergedInto(entry), nameOf),
  },
  { title: "source", value: ({ source }) => source },
  { title: "node", value: ({ node }) => node },
];

export const companyHistory = historyCommand("company");
export const personHistory = historyCommand("person");
export const companyRestore = restoreCommand("company");
export const personRestore = restoreCommand("person");
