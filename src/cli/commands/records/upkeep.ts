import { dirname } from "node:path";
import { loadServiceNode } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { keepHeapSmall } from "../../../base/small-heap.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { NodeApi, NodeReadApi } from "../../../node/index.ts";
import {
  pageLimitMax,
  reviewFiles,
  type Ingested,
  type RecordProblem,
} from "../../../records/index.ts";
import { fleetOf } from "../../bucket-option.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { untilStopped } from "../../until-stopped.ts";
import type { TableColumn } from "../../table.ts";
import { openNodeOf, openReaderOf } from "../../node-context.ts";
import { countRecords } from "./record-context.ts";

const problemColumns: readonly TableColumn<RecordProblem>[] = [
  { title: "file", value: ({ path }) => path },
  { title: "since", value: ({ foundAt }) => foundAt.slice(0, 19) },
  { title: "what is wrong", value: ({ reason }) => reason, isNeverCut: true },
];

/** Beyond it nobody counts with their eyes. */
const countMax = 100_000_000;

export const recordsStatus: Command = {
  needs: "settings",
  examples: [
    {
      line: "forager records status",
      summary: "how many, and files that are edited, broken or missing",
    },
  ],
  details: [
    "Reads every file. An edited one is not ingested yet: `forager records ingest` does that. A broken\n" +
      "one is left alone until it is fixed. A missing one is written again by the next change or by\n" +
      "`forager records rebuild`; to remove a company, use `forager company delete`.",
    "Exits 1 when a file is broken.",
  ],

  async run(context) {
    const { out } = context;
    await using reader = await openReaderOf(context);
    const { records } = reader;
    const review = await reviewFiles(context.paths.root(), allRecords(records));
    const quarantined = await records.problems();
    const known = new Set(quarantined.map(({ path }) => path));
    const foundAt = new Date(context.clock.nowMs()).toISOString();
    const problems = [
      ...quarantined,
      ...review.broken
        .filter(({ path }) => !known.has(path))
        .map((one) => ({ ...one, foundAt, target: undefined })),
    ];
    const edited = review.edited.filter((path) => !known.has(path));
    const { missing } = review;
    const companies = await records.count({ kind: "company" }, countMax);
    const people = await records.count({ kind: "person" }, countMax);
    out.result({ companies, people, edited, missing, problems }, (layout) => {
      const counts = `${countRecords("company", companies)}, ${countRecords("person", people)}`;
      const some = [
        ...(edited.length > 0 ? [`${edited.length} edited: ${shownPaths(edited)}`] : []),
        ...(missing.length > 0 ? [`${missing.length} missing: ${shownPaths(missing)}`] : []),
        ...(problems.length > 0
          ? [`${problems.length} with errors:`, layout.table(problems, problemColumns)]
          : []),
      ];
      if (some.length === 0) return `${counts}; all files are as they should be`;
      return [counts, ...some].join("\n");
    });
    return problems.length > 0 ? "failed" : undefined;
  },
};

const shownMax = 5;
const shownPaths = (paths: readonly string[]): string =>
  paths.slice(0, shownMax).join(", ") + (paths.length > shownMax ? ", …" : "");

/** The kind and folder name of every record, page by page. */
async function* allRecords({ search }: NodeReadApi["records"]) {
  for (const kind of ["company", "person"] as const) {
    let after: string | undefined;
    do {
      const page = await search({ kind, limit: pageLimitMax, ...(after && { after }) });
      for (const row of page.rows) {
        yield { kind, slug: row.kind === "company" ? row.company.slug : row.person.slug };
      }
      after = page.next;
    } while (after !== undefined);
  }
}

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
