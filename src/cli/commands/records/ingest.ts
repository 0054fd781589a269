import { dirname } from "node:path";
import { countOf } from "../../../base/text/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { NodeApi } from "../../../node/index.ts";
import type { Ingested, RecordProblem } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const problemColumns: readonly TableColumn<RecordProblem>[] = [
  { title: "file", value: ({ path }) => path },
  { title: "since", value: ({ foundAt }) => foundAt.slice(0, 19) },
  { title: "what is wrong", value: ({ reason }) => reason, isNeverCut: true },
];

export const recordsIngest: Command = {
  needs: "settings",
  arguments: [
    {
      name: "name",
      summary: "only these records, or files below the data folder",
      isOptional: true,
      isRepeated: true,
    },
  ],
  examples: [
    { line: "forager records ingest", summary: "import the edits of all files" },
    { line: "forager records ingest acme", summary: "only there" },
  ],
  details: ["Exits 1 if a file could not be parsed; the others were imported."],

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

/** If no record has this name, it may be the name of a new folder. */
async function folderOf({ records }: NodeApi, name: string): Promise<string> {
  const target =
    (await records.resolve("company", name)) ?? (await records.resolve("person", name));
  const file = target === undefined ? undefined : await records.fileOf(target);
  if (file !== undefined) return dirname(file);
  if (/^(?:companies|people)\/./.test(name)) return name;
  throw usageError(`there is no record '${name}': give its folder, such as companies/acme`);
}

function wordsOf({ files, edited }: Ingested): string {
  const looked = `${countOf(files, "file")} looked at`;
  if (edited.length === 0) return `${looked}, none was edited`;
  const lines = edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`);
  return [`${looked}, ${edited.length} edited`, ...lines].join("\n");
}
