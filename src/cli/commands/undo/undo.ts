import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  auditedRecords,
  differencesOf,
  manualChanges,
  planUndo,
  type ManualChange,
} from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { createRecordNames, fieldWithName, linkIn } from "../company/parts/record-names.ts";
import { showDifferences } from "../company/parts/show-differences.ts";

export const undo: Command = {
  needs: "settings",
  arguments: [
    {
      name: "change",
      summary: "the id of a change that --recent lists (default: the last one)",
      isOptional: true,
    },
  ],
  options: [
    { flag: "--recent", summary: "list the last changes, and change nothing" },
    { flag: "--limit", value: "count", summary: "with --recent: how many", default: "20" },
    { flag: "--yes", summary: "do not ask" },
    sourceOption,
  ],
  examples: [
    { line: "forager undo", summary: "show the last manual change, and ask" },
    { line: "forager undo --recent", summary: "list changes that can be undone" },
  ],
  details: [
    "A change is everything that one command or one bulk action wrote on this node: set, unset, tag, note,\n" +
      "merge, delete, restore, or an edit of a file. Fields that were changed since are not undone. An undo is\n" +
      "one write: a crash leaves the old or the new state. An undo can be undone.",
    "Values from before the last checkpoint are in the bucket: `forager company restore` finds them.",
  ],

  async run(context) {
    const { args, flags, out, clock } = context;
    await using opened = await openNodeOf(context);
    const { ledger, records } = opened;
    const sinceMs = clock.nowMs() - daysKept * 86_400_000;
    const all = await manualChanges(ledger, { sinceMs });
    const { learn, nameOf } = createRecordNames(opened);
    const linked = (fields: readonly string[]) => fields.flatMap((field) => linkIn(field) ?? []);
    await learn(
      all
        .slice(0, listMax)
        .flatMap(({ targets, fields }) => [...targets.slice(0, 3), ...linked(fields.slice(0, 3))]),
    );
    if (flags["recent"] === true) {
      const limit = Math.min(parseCount("limit", textFlag(flags, "limit") ?? "20"), listMax);
      const rows = all.slice(0, limit).map(({ datagrams: _datagrams, ...change }) => change);
      await out.list(rows, { columns: columnsOf(nameOf) });
      return undefined;
    }
    const change = choose(all, args[0]);
    const plan = await asUsage(() => planUndo(ledger, change));
    const differences = await differencesOf(ledger, plan.changes);
    for (const { target, field } of plan.changedSince) {
      out.note(`${nameOf(target)}: ${field} was changed since, so it is not undone`);
    }
    if (differences.length === 0) {
      const text = "nothing is left to undo of that change";
      return out.result({ change: change.id, undone: [], changedSince: plan.changedSince }, text);
    }
    // A deleted record has no name before the undo, so take it from the values that come back.
    const namesBack = new Map(
      differences.flatMap(({ target, field, after }) =>
        field === "name" && typeof after === "string" ? [[target, after]] : [],
      ),
    );
    const nameNow = (target: string) => {
      const name = nameOf(target);
      return name === target ? (namesBack.get(target) ?? name) : name;
    };
    showDifferences(out, differences, nameNow);
    const question = `undo the change of ${change.at} (${countOf(differences.length, "field")})?`;
    if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was undone");
      return "failed";
    }
    const targets = [...new Set(plan.changes.map(({ target }) => target))];
    await using _state = await context.recordState(() =>
      auditedRecords(ledger, targets, { isNamed: true }),
    );
    const commit = { source: sourceOf(context), changes: plan.changes };
    const { datagrams } = await asUsage(() => records.write(commit));
    const undone = datagrams.map(({ target, field }) => ({ target, field }));
    out.result(
      { change: change.id, undone, changedSince: plan.changedSince },
      `undid the change of ${change.at}: ${countOf(undone.length, "field")}`,
    );
  },
};

/** Changes older than this are not offered. */
const daysKept = 30;
const listMax = 500;

function choose(all: readonly ManualChange[], id: string | undefined): ManualChange {
  const [last] = all;
  if (!last) throw usageError(`there were no manual changes on this node in ${daysKept} days`);
  if (id === undefined) return last;
  const found = all.find((one) => one.id === id);
  if (!found) throw usageError(`there is no change '${id}': \`forager undo --recent\` shows them`);
  return found;
}

type Listed = Omit<ManualChange, "datagrams">;

const columnsOf = (nameOf: (target: string) => string): readonly TableColumn<Listed>[] => [
  { title: "change", value: ({ id }) => id },
  { title: "when", value: ({ at }) => at.slice(0, 19).replace("T", " ") },
  { title: "by", value: ({ source }) => source.replace(/^hand:/, "") },
  { title: "records", value: ({ targets }) => shortList(targets.map(nameOf)) },
  {
    title: "fields",
    value: ({ fields }) => shortList(fields.map((field) => fieldWithName(field, nameOf))),
  },
];

const shortList = (all: readonly string[]): string =>
  all.length <= 3 ? all.join(", ") : `${all.slice(0, 3).join(", ")} and ${all.length - 3} more`;
