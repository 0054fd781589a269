import { dirname } from "node:path";
import { loadServiceNode } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { keepHeapSmall } from "../../../base/small-heap.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { NodeApi } from "../../../node/index.ts";
import type { Ingested, RecordProblem } from "../../../records/index.ts";
import { fleetOf } from "../../bucket-option.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { untilStopped } from "../../until-stopped.ts";
import type { TableColumn } from "../../table.ts";
import { openNodeOf } from "../../node-context.ts";

const problemColumns: readonly TableColumn<RecordProblem>[] = [
  { title: "file", value: ({ path }) => path },
  { title: "since", value: ({ foundAt }) => foundAt.slice(0, 19) },
  { title: "what is wrong", value: ({ reason }) => reason, isNeverCut: true },
];

export const recordsRebuild: Command = {
  needs: "settings",
  examples: [{ line: "forager records rebuild", summary: "index and files anew, from the ledger" }],
  details: ["What hands changed in the files is taken in first: nothing is lost."],

  async run(context) {
    const { out, clock } = context;
    keepHeapSmall();
    const startedAtMs = clock.monotonicMs();
    const records = await rebuild(context);
    const seconds = Math.round((clock.monotonicMs() - startedAtMs) / 100) / 10;
    out.result({ records, seconds }, `${countOf(records, "record")} in ${seconds} s`);
  },
};

async function rebuild(context: SettingsContext): Promise<number> {
  await using node = await openNodeOf(context);
  const { records } = node;
  const bar = context.progress.start({ label: "rebuild" });
  let before = 0;
  try {
    const built = await records.rebuild({
      onProgress({ step, done, total }) {
        if (step !== "files") return bar.note(`${countOf(done, "file")} looked at`);
        if (total !== undefined) bar.setTotal(total);
        bar.note("");
        bar.advance(done - before);
        before = done;
      },
      signal: context.signal,
    });
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
    await using opened = await openNodeOf(context);
    const only = await Promise.all(args.map((name) => folderOf(opened, name)));
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
async function folderOf({ records }: NodeApi, name: string): Promise<string> {
  const target =
    (await records.resolve("company", name)) ?? (await records.resolve("person", name));
  const file = target === undefined ? undefined : await records.fileOf(target);
  if (file !== undefined) return dirname(file);
  if (/^(?:companies|people)\/./.test(name)) return name;
  throw usageError(`there is no record '${name}': give its folder, such as companies/acme`);
}

export const recordsWatch: Command = {
  needs: "settings",
  examples: [
    {
      line: "forager records watch",
      summary: "import manual edits as files are saved, until Ctrl-C",
    },
    { line: "forager records watch --json", summary: "one JSON document a line" },
  ],

  async run(context) {
    const { out, loaded, signal } = context;
    const { openServiceNode } = await loadServiceNode();
    await using node = await openServiceNode({ ...fleetOf(context), loaded });
    const onProgress = (ingested: Ingested) => {
      if (ingested.edited.length === 0 && ingested.problems.length === 0) return;
      const lines = [
        ...ingested.edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`),
        ...ingested.problems.map(({ path, reason }) => `${path}: ${reason}`),
      ];
      const line = () => lines.join("\n");
      if (out.isJson) out.frame(ingested, { screen: line, line });
      else out.result(ingested, line());
    };
    const over = new AbortController();
    const watching = node.api.records.watch({}, { onProgress, signal: over.signal });
    out.note("watching the files; Ctrl-C ends it");
    try {
      await Promise.race([untilStopped(signal), node.gone, watching]);
    } finally {
      over.abort();
    }
    await watching;
    return "stopped";
  },
};

function wordsOf({ files, edited }: Ingested): string {
  const looked = `${countOf(files, "file")} looked at`;
  if (edited.length === 0) return `${looked}, none was edited`;
  const lines = edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`);
  return [`${looked}, ${edited.length} edited`, ...lines].join("\n");
}
