import { removeIndexIn } from "../../../app/index.ts";
import type { Ingested, RecordProblem } from "../../../records/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import type { Column } from "../../table.ts";
import { countOf } from "../queue/count-words.ts";
import { countRecords, openRecordsOf, userName } from "./record-context.ts";

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
    const { out, paths, clock } = context;
    const startedAtMs = clock.monotonicMs();
    await removeIndexIn({ paths });
    // Whoever opens them with an empty index fills it, from everything there is.
    await using opened = await openRecordsOf({ ...context, progress: quietly(context) });
    const handle = context.progress.start({ label: "records" });
    let before = 0;
    const { records } = await opened.records.rebuild({
      onProgress: ({ done, step }) => {
        handle.note(step);
        handle.advance(Math.max(0, done - before));
        before = done;
      },
    });
    handle.done();
    const seconds = Math.round((clock.monotonicMs() - startedAtMs) / 100) / 10;
    out.result({ records, seconds }, `${countOf(records, "record")} in ${seconds} s`);
  },
};

/** Only one bar at a time. */
const quietly = (context: SettingsContext): SettingsContext["progress"] => ({
  start: () => context.progress.start({ label: "index" }),
});

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
    const ingested = await opened.records.ingest({
      user: userName(),
      ...(args.length > 0 && { only: args }),
    });
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
      user: userName(),
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
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await watching.stop();
  },
};

function wordsOf({ files, edited }: Ingested): string {
  const looked = `${countOf(files, "file")} looked at`;
  if (edited.length === 0) return `${looked}, none was edited`;
  const lines = edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`);
  return [`${looked}, ${edited.length} edited`, ...lines].join("\n");
}
