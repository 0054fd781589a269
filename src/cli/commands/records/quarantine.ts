import { systemRandom } from "../../../base/random.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  createQuarantine,
  openRecordDisk,
  restoreQuarantined,
  type Quarantine,
  type QuarantineEntry,
} from "../../../records/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import type { TableColumn } from "../../terminal/table.ts";

const columns: readonly TableColumn<QuarantineEntry>[] = [
  { title: "id", value: ({ id }) => id, isKey: true },
  { title: "since", value: ({ at }) => at.slice(0, 19).replace("T", " ") },
  { title: "what", value: ({ kind, field }) => field ?? kind },
  { title: "from", value: ({ path }) => path },
  { title: "why", value: ({ reason }) => reason, isNeverCut: true },
];

export const recordsQuarantine: Command = {
  needs: "settings",
  arguments: [
    {
      name: "action",
      summary: "what to do with one entry; without it, list all",
      choices: ["show", "restore", "discard"],
      isOptional: true,
    },
    { name: "id", summary: "which entry", isOptional: true },
  ],
  options: [{ flag: "--yes", summary: "with discard: do not ask" }, sourceOption],
  examples: [
    { line: "forager records quarantine", summary: "list what repairs removed, and why" },
    { line: "forager records quarantine show 0a1b2c3d", summary: "the text of a file, or a value" },
    { line: "forager records quarantine restore 0a1b2c3d", summary: "put it back where it was" },
    { line: "forager records quarantine discard 0a1b2c3d --yes", summary: "delete it for good" },
  ],
  details: [
    "A file in quarantine can be edited there: `show` prints its path. `restore` refuses it as long\n" +
      "as it cannot be parsed. If a new file was written in its place, the restored file counts as\n" +
      "an edit of it. A value is written as if it was set by hand.",
  ],

  async run(context) {
    const { args, out, paths, clock } = context;
    const [action, id] = args;
    const disk = openRecordDisk(paths.root(), systemRandom);
    const quarantine = createQuarantine({ disk, clock, random: systemRandom });
    if (action === undefined) {
      await out.list(quarantine.list(), { columns, empty: "nothing is in quarantine" });
      return;
    }
    if (id === undefined) {
      throw usageError(`which entry? \`forager records quarantine\` lists them`);
    }
    const entry = await asUsage(async () => quarantine.get(id));
    if (action === "show") return show(context, quarantine, entry);
    return action === "restore"
      ? await restore(context, quarantine, entry)
      : await discard(context, quarantine, entry);
  },
};

function show({ out, paths }: SettingsContext, quarantine: Quarantine, entry: QuarantineEntry) {
  const text = quarantine.textOf(entry);
  const head = [
    `${entry.path}${entry.field === undefined ? "" : `, ${entry.field}`}`,
    `why: ${entry.reason}`,
    ...(entry.file === undefined ? [] : [`now: ${paths.resolve(entry.file)}`]),
  ];
  const content = text ?? JSON.stringify(entry.value);
  out.result({ ...entry, ...(text !== undefined && { text }) }, [...head, "", content].join("\n"));
}

async function restore(
  context: SettingsContext,
  quarantine: Quarantine,
  entry: QuarantineEntry,
): Promise<"failed" | void> {
  const { out } = context;
  await using node = await openNodeOf(context);
  const parts = { node, quarantine, source: sourceOf(context) };
  const ingested = await asUsage(() => restoreQuarantined(parts, entry));
  const problem = ingested?.problems.find(({ path }) => path === entry.path);
  const what = entry.field === undefined ? entry.path : `${entry.field} of ${entry.path}`;
  out.result(
    { id: entry.id, path: entry.path, ...(problem && { problem: problem.reason }) },
    problem ? `${what} is back, but not used: ${problem.reason}` : `${what} is back`,
  );
  return problem ? "failed" : undefined;
}

async function discard(
  context: SettingsContext,
  quarantine: Quarantine,
  entry: QuarantineEntry,
): Promise<"failed" | void> {
  const { out, flags } = context;
  const question = `delete ${entry.id} (${entry.field ?? entry.path}) for good?`;
  if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
    out.note("nothing was deleted");
    return "failed";
  }
  context.markChange();
  quarantine.remove(entry);
  out.result({ id: entry.id, path: entry.path }, `${entry.id} (${entry.path}) is deleted`);
}
