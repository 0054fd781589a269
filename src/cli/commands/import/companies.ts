import { importFile, type ImportReport, type LineOptions } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf, formatCount } from "../../../base/text/count-words.ts";
import { checkMappings } from "../../../records/index.ts";
import type { Command, Flags, SettingsContext } from "../../frame/command.ts";
import { encodingFlag, textFlag } from "../../options/flags.ts";
import { keepHeapSmall } from "../../../base/process/small-heap.ts";
import { toOneLine } from "../../../base/text/terminal-text.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { sourceOption } from "../../options/source-option.ts";
import { openSource, type ImportSource } from "../queue/import/import-source.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const formats = ["csv", "jsonl", "json", "geojson", "vcf"] as const;
/** Other file extensions of the formats. */
const formatOf: Readonly<Record<string, string>> = {
  ndjson: "jsonl",
  tsv: "csv",
  txt: "csv",
  vcard: "vcf",
};

export const importCompanies: Command = {
  needs: "settings",
  arguments: [
    {
      name: "file",
      summary: "a .csv, .jsonl, .json, .geojson or .vcf file; - reads standard input",
    },
  ],
  options: [
    { flag: "--map", value: "column=field", summary: "the field of a column; COLUMN= leaves it out", isRepeated: true }, // prettier-ignore
    {
      flag: "--keep-other",
      summary: "keep unknown columns as custom fields",
    },
    { flag: "--country", value: "country", summary: "two letters, for phone numbers without code" },
    { flag: "--format", value: "format", summary: "format, if the file name does not show it", choices: [...formats] }, // prettier-ignore
    {
      flag: "--delimiter",
      value: "char",
      summary: "the separator of cells, if the header does not show it",
    },
    {
      flag: "--encoding",
      value: "name",
      summary: "the encoding, such as windows-1252",
      default: "utf-8",
    },
    { flag: "--dry-run", summary: "only show what would be done" },
    { ...sourceOption, summary: "provenance stored with the values (default: place:file/FILE)" },
  ],
  examples: [
    { line: "forager import companies hubspot-export.csv --dry-run", summary: "show the meaning of columns, and how many companies are new" }, // prettier-ignore
    { line: "forager import companies leads.csv --map Firma=name --map Fax=", summary: "choose fields for columns" }, // prettier-ignore
    { line: "zcat all.jsonl.gz | forager import companies - --format jsonl", summary: "from another program" }, // prettier-ignore
  ],
  details: [
    "A company is identified by its place or domain, otherwise by its whole line: an import can be\n" +
      "repeated. After Ctrl-C or a crash run it again; existing companies count as known.",
    "Manual values are never overwritten, and an empty cell removes nothing. Companies\n" +
      "that were forgotten are not added again.",
    "Exit code 3 if lines were left out or values could not be read; 1 if all lines were left out.",
  ],

  async run(context) {
    const { args, flags, out, stdin, cwd, signal, clock } = context;
    keepHeapSmall();
    const name = args[0]!;
    const label = name === "-" ? "standard input" : name;
    const options = readOptions(flags, { name, nowMs: clock.nowMs() });
    await asUsage(async () => checkMappings(options.mappings ?? []));
    const source = textFlag(flags, "source") ?? `place:file/${label.replace(/^.*[/\\]/s, "")}`;
    const isDryRun = flags["dryRun"] === true;
    await using file = await openSource({ name, cwd, stdin, signal });
    await using opened = await openNodeOf(context);
    const bar = startBar(context, { file, label });
    const report = await asUsage(() =>
      importFile({
        records: opened.records,
        chunks: counted(file, (bytes) => bar?.advance(bytes)),
        format: options,
        source,
        isDryRun,
        signal,
        onLines: (count) => bar?.note(countOf(count, "line")),
      }),
    ).finally(() => bar?.done());
    const { mapped, leftOut } = report;
    out.result({ file: label, isDryRun, ...report }, () =>
      wordsOf({ label, report, isDryRun, mapped, leftOut }),
    );
    if (leftOut.length > 0 && !isDryRun) {
      out.note(
        `not imported: ${leftOut.join(", ")}; --map COLUMN=FIELD or --keep-other takes them`,
      );
    }
    if (report.isStopped) {
      out.note("stopped: run the same import again to continue");
      throw new AppError("aborted", "import_stopped", "the import was stopped");
    }
    if (report.faulty === 0 && report.unread === 0) return undefined;
    return report.faulty === report.lines ? "failed" : "partial";
  },
};

function readOptions(
  flags: Flags,
  { name, nowMs }: { readonly name: string; readonly nowMs: number },
): LineOptions {
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const given = textFlag(flags, "format") ?? formatOf[extension] ?? extension;
  const format = formats.find((one) => one === given);
  if (format === undefined) {
    throw usageError(
      `the format of ${name} is not known from its name: give --format with one of ${formats.join(", ")}`,
    );
  }
  const delimiter = textFlag(flags, "delimiter")?.replace("\\t", "\t");
  if (delimiter !== undefined && !/^[^"\r\n]$/u.test(delimiter)) {
    throw usageError("--delimiter takes one character, such as ';' or '\\t'");
  }
  return {
    format,
    encoding: encodingFlag(flags),
    delimiter,
    country: textFlag(flags, "country"),
    at: new Date(nowMs).toISOString(),
    mappings: (flags["map"] as readonly string[] | undefined) ?? [],
    keepsOthers: flags["keepOther"] === true,
  };
}

/** A smaller file is read so fast that it needs no progress bar. */
const quietBytesMax = 200_000;

function startBar(
  { progress }: SettingsContext,
  { file, label }: { readonly file: ImportSource; readonly label: string },
) {
  const { sizeBytes } = file;
  if (sizeBytes !== undefined && sizeBytes <= quietBytesMax) return undefined;
  const total = sizeBytes === undefined ? {} : { total: sizeBytes };
  return progress.start({ label: `import ${label}`, unit: "bytes", ...total });
}

async function* counted(file: ImportSource, onBytes: (bytes: number) => void) {
  for await (const chunk of file.read()) {
    yield chunk;
    onBytes(chunk.length);
  }
}

interface Words {
  readonly label: string;
  readonly report: ImportReport;
  readonly isDryRun: boolean;
  readonly mapped: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
}

function wordsOf({ label, report, isDryRun, mapped, leftOut }: Words): string {
  const { lines, created, known, suppressed, faulty, unread, problems, duplicates } = report;
  const counts = [
    `${formatCount(created)} ${isDryRun ? "would be new" : "new"}`,
    `${formatCount(known)} known`,
    ...(suppressed > 0 ? [`${formatCount(suppressed)} suppressed and not changed`] : []),
    ...(faulty > 0 ? [`${formatCount(faulty)} left out`] : []),
    ...(unread > 0 ? [`${countOf(unread, "value")} not readable`] : []),
  ];
  const columns = Object.entries(mapped).map(([header, field]) => `  ${header} → ${field}`);
  const rest = faulty + unread - problems.reduce((sum, { count }) => sum + count, 0);
  return [
    `${label}: ${countOf(lines, "line")}, ${counts.join(", ")}`,
    ...(isDryRun ? ["columns:", ...columns, ...leftOut.map((one) => `  ${one} → (left out)`)] : []),
    ...problems.map(({ line, text, count }) => {
      const more = count > 1 ? `, and ${formatCount(count - 1)} more of this kind` : "";
      return `  line ${line}: ${toOneLine(text)}${more}`;
    }),
    ...(rest > 0 ? [`  and ${formatCount(rest)} more`] : []),
    ...duplicates.map(
      ({ line, slug, others }) => `  line ${line}: ${slug} may be the same as ${others.join(", ")}`,
    ),
    ...(report.duplicateCount > duplicates.length
      ? [`  and ${formatCount(report.duplicateCount - duplicates.length)} more that may be the same: \`forager company duplicates\``] // prettier-ignore
      : []),
  ].join("\n");
}
