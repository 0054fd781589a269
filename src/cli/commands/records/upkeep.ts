import { dirname } from "node:path";
import { removeIndexIn, type RecordsIn } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Ingested, RecordProblem } from "../../../records/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { untilStopped } from "../../until-stopped.ts";
import type { Column } from "../../table.ts";
import { countRecords, openRecordsOf } from "./record-context.ts";

const problemColumns: readonly Column<RecordProblem>[] = [
  { title: "file", value: ({ path }) => path },
  { title: "since", value: ({ foundAt }) => foundAt.slice(0, 19) },
  { title: "what is wrong", value: ({ reason }) => reason, isNeverCut: true },
];

/** Beyond it nobody counts with their eyes. */
const countMax = 100_000_000;

export const recordsStatus: Command = {
  needs: "settings",
  examples: [{ line: "forager records status", summary: "how many, and files that need a hand" }],
  details: ["Exits 1 when a file is quarantined: it is left as it is until someone mends it."],

  async run(context) {
    const { out } = context;
    await using opened = await openRecordsOf(context);
    const { index, records } = opened;
    const problems = records.problems();
    const companies = index.count({ kind: "company" }, countMax);
    const people = index.count({ kind: "person" }, countMax);
    out.result({ companies, people, problems }, (layout) => {
      const counts = `${countRecords("company", companies)}, ${countRecords("person", people)}`;
      if (problems.length === 0) return `${counts}; all files are as they should be`;
      return `${counts}; quarantined:\n${layout.table(problems, problemColumns)}`;
    });
    return problems.length > 0 ? "failed" : undefined;
  },
};

export const recordsRebuild: Command = {
  needs: "settings",
  examples: [{ line: "forager records rebuild", summary: "index and files anew, from the ledger" }],
  details: ["What hands changed in the files is taken in first: nothing is lost."],

  async run(context) {
    const { out, clock } = context;
    const startedAtMs = clock.monotonicMs();
    const records = await rebuild(context);
    const seconds = Math.round((clock.monotonicMs() - startedAtMs) / 100) / 10;
    out.result({ records, seconds }, `${countOf(records, "record")} in ${seconds} s`);
  },
};

/** An index that is damaged in the middle is taken away: whoever opens the next one fills it. */
async function rebuild(context: SettingsContext): Promise<number> {
  try {
    await using opened = await openRecordsOf(context);
    return await rebuildOpened(context, opened);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "index_corrupt") throw error;
    context.out.note(error.message);
  }
  await removeIndexIn(context);
  await using opened = await openRecordsOf(context);
  return rebuildOpened(context, opened);
}

async function rebuildOpened(
  { progress, clock, signal }: SettingsContext,
  { records, index }: RecordsIn,
) {
  const total = index.count({ kind: "company" }, countMax) + index.count({ kind: "person" }, countMax); // prettier-ignore
  const bar = progress.start({ label: "rebuild", total });
  let before = 0;
  try {
    const built = await records.rebuild({
      onProgress({ step, done }) {
        if (step !== "files") return bar.note(`${countOf(done, "file")} looked at`);
        bar.note("");
        bar.advance(done - before);
        before = done;
      },
    });
    // It takes seconds, in which nobody else can change the index.
    using _turn = await index.takeTurn(clock, signal);
    index.optimize();
    return built.records;
  } finally {
    bar.done();
  }
}

export const recordsIngest: Command = {
  needs: "settings",
  arguments: [
    {
      name: "name",
      summary: "only these: names of records, or files below the data folder",
      isOptional: true,
      isRepeated: true,
    },
  ],
  examples: [
    { line: "forager records ingest", summary: "take in what was edited in any file" },
    { line: "forager records ingest acme", summary: "only there" },
  ],
  details: ["Exits 1 when a file could not be understood; the others were taken in all the same."],

  async run(context) {
    const { args, out } = context;
    await using opened = await openRecordsOf(context);
    const only = args.map((name) => folderOf(opened, name));
    const ingested = await opened.records.ingest(only.length > 0 ? { only } : {});
    out.result(ingested, (layout) =>
      [
        wordsOf(ingested),
        ...(ingested.problems.length > 0
          ? ["quarantined:", layout.table(ingested.problems, problemColumns)]
          : []),
      ].join("\n"),
    );
    return ingested.problems.length > 0 ? "failed" : undefined;
  },
};

/** What is no record's name is perhaps a folder that someone has made. */
function folderOf({ records }: RecordsIn, name: string): string {
  const target = records.resolve("company", name) ?? records.resolve("person", name);
  const file = target === undefined ? undefined : records.fileOf(target);
  if (file !== undefined) return dirname(file);
  if (/^(?:companies|people)\/./.test(name)) return name;
  throw usageError(`there is no record '${name}': give its folder, such as companies/acme`);
}

export const recordsWatch: Command = {
  needs: "settings",
  examples: [
    { line: "forager records watch", summary: "take in edits as they are saved, until Ctrl-C" },
    { line: "forager records watch --json", summary: "one JSON document a line" },
  ],

  async run(context) {
    const { out, signal } = context;
    await using opened = await openRecordsOf(context);
    const watching = opened.records.watch({
      onIngested(ingested) {
        if (ingested.edited.length === 0 && ingested.problems.length === 0) return;
        const lines = [
          ...ingested.edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`),
          ...ingested.problems.map(({ path, reason }) => `${path}: ${reason}`),
        ];
        const line = () => lines.join("\n");
        if (out.isJson) out.frame(ingested, { screen: line, line });
        else out.result(ingested, line());
      },
    });
    out.note("watching the files; Ctrl-C ends it");
    await untilStopped(signal);
    await watching.stop();
    return "stopped";
  },
};

function wordsOf({ files, edited }: Ingested): string {
  const looked = `${countOf(files, "file")} looked at`;
  if (edited.length === 0) return `${looked}, none was edited`;
  const lines = edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`);
  return [`${looked}, ${edited.length} edited`, ...lines].join("\n");
}
