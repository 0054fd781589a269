import { countOf } from "../../../base/text/count-words.ts";
import type { ProgressHandle } from "../../../base/progress-handle.ts";
import { systemRandom } from "../../../base/random.ts";
import {
  checkRecords,
  createQuarantine,
  findingsMax,
  openRecordDisk,
  repairRecords,
  repairWords,
  type Checked,
  type CheckedNode,
  type RecordFinding,
  type RecordsRepaired,
} from "../../../records/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import type { Layout } from "../../terminal/output.ts";
import type { TableColumn } from "../../terminal/table.ts";

const columns: readonly TableColumn<RecordFinding>[] = [
  { title: "file", value: ({ path }) => path, isKey: true },
  { title: "wrong", value: ({ kind }) => kind },
  { title: "repair", value: ({ repair }) => (repair ? repairWords[repair.kind] : "by hand") },
  { title: "the problem", value: ({ reason }) => reason, isNeverCut: true },
];

export const recordsCheck: Command = {
  needs: "settings",
  examples: [
    { line: "forager records check", summary: "check all records and their files" },
    { line: "forager records check --json", summary: "the same for a program" },
  ],
  details: [
    "Reads every record and every file, and changes nothing. It checks that files can be read and say what\n" +
      "is stored, that values have the right type and name, that links lead to a record, and that text was\n" +
      "decoded correctly. A file that was edited by hand is not an error: `forager records ingest` reads it.\n" +
      "`forager campaign audit NAME` checks what a campaign has found.",
    "Exits 3 if there are problems. `forager records repair` repairs them.",
  ],

  async run(context) {
    await using reader = await openReaderOf(context);
    const checked = await check(context, reader);
    const { outdated, problems, ...rest } = checked;
    const missing = outdated.map(({ path }) => path);
    context.out.result({ ...rest, missing, problems }, (layout) => checkedText(checked, layout));
    return outdated.length + problems.length > 0 ? "partial" : undefined;
  },
};

export const recordsRepair: Command = {
  needs: "settings",
  options: [
    { flag: "--dry-run", summary: "only show what would be repaired" },
    { flag: "--yes", summary: "do not ask" },
    sourceOption,
  ],
  examples: [
    { line: "forager records repair --dry-run", summary: "show what would be repaired, and how" },
    { line: "forager records repair --yes", summary: "repair without asking, in a script" },
  ],
  details: [
    "Missing and outdated files are written again; edited ones are read first. Values that can be\n" +
      "derived are corrected. Files and values that cannot be used are moved to quarantine, where nothing\n" +
      "is lost: `forager records quarantine` lists them and puts them back.",
    "Exits 3 if problems are left that only a person can repair.",
  ],

  async run(context) {
    const { flags, out, paths, clock, signal } = context;
    if (flags["dryRun"] === true) {
      await using reader = await openReaderOf(context);
      const found = await check(context, reader);
      const { outdated, problems, edited, isCut } = found;
      const plan = { edited, findings: [...outdated, ...problems], isCut };
      out.result(plan, (layout) => planText(found, layout));
      return;
    }
    await using node = await openNodeOf(context);
    const checked = await check(context, node);
    const { outdated, problems, edited } = checked;
    const count = outdated.length + edited.length + problems.filter(({ repair }) => repair).length;
    if (count > 0) {
      if (!out.isJson) out.note(countsText(checked));
      const question = `repair ${countOf(count, "problem")}?`;
      if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
        out.note("nothing was repaired");
        return "failed";
      }
    }
    const bar = lateBar(context, "repair");
    const disk = openRecordDisk(paths.root(), systemRandom);
    const repaired = await repairRecords({
      node,
      quarantine: createQuarantine({ disk, clock, random: systemRandom }),
      checked,
      source: sourceOf(context),
      signal,
      onProgress: ({ done, total }) => bar.show(done, total),
    }).finally(() => bar.done());
    out.result({ ...repaired, isCut: checked.isCut }, (layout) => repairedText(repaired, layout));
    if (checked.isCut) out.note("there is more: run it again");
    return repaired.left.length > 0 || checked.isCut ? "partial" : undefined;
  },
};

async function check(context: SettingsContext, node: CheckedNode): Promise<Checked> {
  const { paths, clock, signal } = context;
  const bar = lateBar(context, "check");
  try {
    return await checkRecords({
      folder: paths.root(),
      node,
      nowMs: clock.nowMs(),
      signal,
      onProgress: ({ done }) => bar.show(done),
    });
  } finally {
    bar.done();
  }
}

/** With fewer files, no progress bar is shown. */
const quietMax = 2_000;

function lateBar({ progress }: SettingsContext, label: string) {
  let shown: ProgressHandle | undefined;
  let before = 0;
  return {
    show(done: number, total?: number): void {
      if ((total ?? done) <= quietMax) return;
      shown ??= progress.start({ label, ...(total !== undefined && { total }) });
      shown.advance(done - before);
      before = done;
    },
    done: () => shown?.done(),
  };
}

function checkedText(checked: Checked, layout: Layout): string {
  const { companies, people, edited, outdated, problems, isCut } = checked;
  const counts = `${countOf(companies, "company")}, ${countOf(people, "person")}`;
  const [missing, stale] = [
    outdated.filter(({ reason }) => reason.includes("missing")),
    outdated.filter(({ reason }) => !reason.includes("missing")),
  ];
  const pathsOf = (some: readonly RecordFinding[]) => shownPaths(some.map(({ path }) => path));
  const some = [
    ...(edited.length > 0 ? [`${edited.length} edited: ${shownPaths(edited)}`] : []),
    ...(missing.length > 0 ? [`${missing.length} missing: ${pathsOf(missing)}`] : []),
    ...(stale.length > 0 ? [`${stale.length} outdated: ${pathsOf(stale)}`] : []),
    ...(problems.length > 0
      ? [`${problems.length} with errors:`, layout.table(problems, columns)]
      : []),
    ...(isCut ? [`only the first ${findingsMax} of each are shown`] : []),
    ...(problems.length + outdated.length > 0
      ? ["`forager records repair --yes` repairs them; --dry-run instead shows how"]
      : []),
  ];
  if (some.length === 0) return `${counts}; all files are as they should be`;
  return [counts, ...some].join("\n");
}

const shownMax = 5;
const shownPaths = (paths: readonly string[]): string =>
  paths.slice(0, shownMax).join(", ") + (paths.length > shownMax ? ", …" : "");

function planText({ outdated, problems, edited }: Checked, layout: Layout): string {
  const all = [...problems, ...outdated];
  if (all.length + edited.length === 0) return "nothing needs repair";
  return [
    ...(edited.length > 0 ? [`${edited.length} edited, to be read: ${shownPaths(edited)}`] : []),
    ...(all.length > 0 ? [layout.table(all, columns)] : []),
  ].join("\n");
}

/** The counts for the question. */
function countsText({ outdated, problems, edited }: Checked): string {
  const counts = new Map<string, number>();
  for (const { repair } of [...problems, ...outdated]) {
    const words = repair ? repairWords[repair.kind] : "cannot be repaired here";
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  if (edited.length > 0) counts.set("read a file that was edited", edited.length);
  return [...counts].map(([words, count]) => `${count} × ${words}`).join("\n");
}

function repairedText(
  { files, corrected, quarantined, left }: RecordsRepaired,
  layout: Layout,
): string {
  if (files + corrected + quarantined + left.length === 0) return "nothing needs repair";
  const words = [
    ...(files > 0 ? [`${countOf(files, "file")} read or written again`] : []),
    ...(corrected > 0 ? [`${countOf(corrected, "value")} corrected`] : []),
    ...(quarantined > 0
      ? [`${quarantined} moved to quarantine (\`forager records quarantine\` lists them)`]
      : []),
  ];
  return [
    ...(words.length > 0 ? [words.join(", ")] : []),
    ...(left.length > 0
      ? [`${left.length} to be repaired by hand:`, layout.table(left, columns)]
      : []),
  ].join("\n");
}
