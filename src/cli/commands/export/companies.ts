import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  exportCompanies as writeCompanies,
  exportEmails as writeEmails,
  exportToFile,
  openNamedExport,
  uploadExport,
  type ExportCounts,
  type ExportOptions,
  type NamedExport,
} from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { keepHeapSmall } from "../../../base/process/small-heap.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  createCompanyWriter,
  createEmailWriter,
  createPresetCompanyWriter,
  createPresetEmailWriter,
  emailExportFormats,
  exportColumnNames,
  exportFormats,
  findPreset,
  legalLines,
  presetNames,
  readPreset,
  type ExportFormat,
  type ExportPreset,
  type ExportWriter,
  type PresetOf,
} from "../../../records/index.ts";
import { attributionLine } from "../../../sources/index.ts";
import type { Command, OptionSpec, SettingsContext } from "../../frame/command.ts";
import { listFlag, parseCount, textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { positionOptions, restartOption } from "./position-options.ts";
import { choiceOptions, readChoice } from "./read-choice.ts";

const exportOptions = (formats: readonly string[]): readonly OptionSpec[] => [
  { flag: "--format", value: "format", summary: "how", choices: formats, default: "csv" },
  { flag: "--preset", value: "name", summary: `CSV with the columns of another program: ${presetNames.join(", ")}, or a .toml file of yours`, complete: "file" }, // prettier-ignore
  { flag: "--new", summary: "only rows that no earlier export of this name had" },
  {
    flag: "--name",
    value: "name",
    summary: "with --new: the name that exported rows are remembered by",
  },
  restartOption,
  {
    flag: "--to",
    value: "file",
    summary: "write it to this file, completely or not at all",
    complete: "file",
  },
  {
    flag: "--upload",
    summary: "with --to and --campaign: also into the campaign's folder of the fleet's bucket",
  },
  { flag: "--bom", summary: "begin CSV with a byte order mark, for older versions of Excel" },
  ...choiceOptions,
];

export const exportCompanies: Command = {
  needs: "settings",
  options: [
    ...exportOptions(exportFormats),
    {
      flag: "--columns",
      value: "names",
      summary: "the columns in their order",
      isRepeated: true,
    },
  ],
  examples: [
    {
      line: "forager export companies > companies.csv",
      summary: "all except excluded ones, by name",
    },
    { line: "forager export companies --campaign austin --has email --to austin.csv", summary: "leads of a campaign" }, // prettier-ignore
    { line: "forager export companies --columns name,emails,missingEmail", summary: "with the reason for each missing address" }, // prettier-ignore
    { line: "forager export companies --format geojson --to map.geojson", summary: "points for a map" }, // prettier-ignore
    { line: "forager export companies --tag vip --format vcf --to vip.vcf", summary: "for an address book" }, // prettier-ignore
    { line: "forager export companies --without osm --to mine.csv", summary: "without values that come only from OpenStreetMap" }, // prettier-ignore
    { line: "forager export companies --preset hubspot --new --name hubspot --to leads.csv", summary: "companies that are new since the last export, for HubSpot" }, // prettier-ignore
    {
      line: "forager export companies --format jsonl | head -2",
      summary: "all fields of each",
    },
  ],
  details: [
    "CSV is RFC 4180; text that a spreadsheet would run as a formula gets an apostrophe in front.\n" +
      "Columns keep their names and order. An import takes CSV and JSON lines back. GeoJSON and KML\n" +
      "leave out companies without coordinates, and say how many.",
    `Columns: ${exportColumnNames.join(", ")}.`,
    "With --to, FILE.about.json beside the file says when it was made, how many rows it has, and whose\n" +
      "data is in it; FILE.LICENCES.txt contains the attributions that have to be passed on with it, and the\n" +
      "settings legal.*. Without --to this is printed to stderr. GeoJSON and KML also contain it.",
    "--new leaves out rows of earlier exports with this name (default: the campaign's name, otherwise\n" +
      "companies or emails). The exported rows are remembered in the fleet's bucket, or without one in the data\n" +
      "folder, after the export is written: a crash in between repeats rows, but loses none. Exports of one\n" +
      "name run one at a time in the fleet.",
    "Entries of the suppression list (`forager suppress`) are always left out; --suppress adds a file to it.",
    "--without leaves out each value whose only source is this open data, and companies that then have no\n" +
      "name and no domain. Values from websites, users or other sources stay.",
  ],

  async run(context) {
    const columns = listFlag(context.flags, "columns");
    const hasBom = context.flags["bom"] === true;
    if (columns !== undefined && textFlag(context.flags, "preset") !== undefined) {
      throw usageError("--preset and --columns cannot be combined");
    }
    await write(context, {
      kind: "companies",
      writer: (format: ExportFormat) => createCompanyWriter({ format, columns, hasBom }),
      presetWriter: createPresetCompanyWriter,
      choice: ({ companies }) => companies,
      run: writeCompanies,
      words: companyWords,
    });
  },
};

export const exportEmails: Command = {
  needs: "settings",
  options: [
    ...exportOptions(emailExportFormats),
    { flag: "--sites-max", value: "count", summary: "leave out addresses found on more unrelated sites" }, // prettier-ignore
  ],
  examples: [
    { line: "forager export emails --country US --suppress unsubscribed.txt", summary: "all addresses, each once" }, // prettier-ignore
    { line: "forager export emails --sites-max 3", summary: "without web designers and forms" },
  ],

  async run(context) {
    const given = textFlag(context.flags, "sitesMax");
    const sitesMax = given === undefined ? Infinity : parseCount("sites-max", given);
    const hasBom = context.flags["bom"] === true;
    await write(context, {
      kind: "emails",
      writer: (format: (typeof emailExportFormats)[number]) =>
        createEmailWriter(format, { hasBom }),
      presetWriter: createPresetEmailWriter,
      choice: ({ emails }) => emails,
      run: (options) => writeEmails({ ...options, sitesMax }),
      words: emailWords,
    });
  },
};

interface ExportOf<Format, Row> {
  readonly kind: PresetOf;
  readonly presetWriter: (preset: ExportPreset) => ExportWriter<Row>;
  readonly choice: (named: NamedExport) => ExportOptions<Row>["choice"];
  readonly writer: (format: Format) => ExportWriter<Row>;
  readonly run: (options: ExportOptions<Row>) => Promise<ExportCounts>;
  readonly words: (counts: ExportCounts) => string;
}

async function write<Format extends ExportFormat, Row>(
  context: SettingsContext,
  { kind, writer, presetWriter, choice, run, words }: ExportOf<Format, Row>,
): Promise<void> {
  const { flags, out, cwd, clock } = context;
  const { legal } = context.settings;
  const to = textFlag(flags, "to");
  const isJson = out.isJson && to === undefined;
  const fileFormat = isJson ? "json" : (textFlag(flags, "format") ?? "csv");
  const preset = await readPresetFlag(context, kind);
  if (preset && fileFormat !== "csv") throw usageError("--preset writes CSV: remove --format");
  const name = textFlag(flags, "name");
  for (const flag of ["name", "restart"]) {
    const isGiven = flags[flag] !== undefined && flags["new"] !== true;
    if (isGiven) throw usageError(`--${flag} needs --new`);
  }
  const campaign = textFlag(flags, "campaign");
  if (flags["upload"] === true && (to === undefined || campaign === undefined)) {
    throw usageError("--upload needs --to FILE and --campaign NAME");
  }
  const chosen = await asUsage(async () =>
    preset ? presetWriter(preset) : writer(fileFormat as Format),
  );
  const choose = await readChoice(context);
  keepHeapSmall();
  await using reader = await openReaderOf(context);
  await using named =
    flags["new"] === true
      ? await asUsage(() => openNamedExport(positionOptions(context), name ?? campaign ?? kind))
      : undefined;
  const options = { ...choose(reader), writer: chosen, choice: named && choice(named) };
  const since = named ? `, ${sinceWords(named.since)}` : "";
  if (to === undefined) {
    const counts = await run({
      ...options,
      write: (text) => {
        named?.check();
        return out.piece(text);
      },
    });
    await named?.commit(clock.nowMs());
    context.recordChange({ after: { rows: counts.rows } });
    out.note(words(counts) + since);
    for (const licence of counts.licences) out.note(`attribution: ${attributionLine(licence)}`);
    for (const line of legalLines(legal)) out.note(line);
    return;
  }
  const about = await exportToFile({
    to: resolve(cwd, to),
    fileFormat,
    campaign,
    legal,
    nowMs: clock.nowMs(),
    async run(writeText) {
      const counts = await run({ ...options, write: writeText });
      await named?.confirm();
      return counts;
    },
  });
  const key =
    flags["upload"] === true && campaign !== undefined
      ? await uploadExport({ ...context, campaign, file: resolve(cwd, to) })
      : undefined;
  await named?.commit(clock.nowMs());
  context.recordChange({ after: { rows: about.rows, to, key } });
  const value = { ...about, file: to, format: fileFormat, count: about.rows, key };
  out.result(
    value,
    [
      `${words(about)}${since} to ${to}${key === undefined ? "" : ` and ${key} of the bucket`}`,
      ...about.licences.map(({ text, licence }) => `attribution: ${text} (${licence})`),
    ].join("\n"),
  );
}

const sinceWords = (since: string | undefined): string =>
  since === undefined ? "first export of this name" : `new since ${since}`;

/** A built-in preset by its name, otherwise a file. */
async function readPresetFlag(
  { flags, cwd }: SettingsContext,
  kind: PresetOf,
): Promise<ExportPreset | undefined> {
  const name = textFlag(flags, "preset");
  if (name === undefined) return undefined;
  const builtIn = findPreset(name, kind);
  if (builtIn) return builtIn;
  if (!name.endsWith(".toml")) {
    throw usageError(
      `there is no preset '${name}': give ${presetNames.join(", ")} or a .toml file`,
    );
  }
  const text = await readFile(resolve(cwd, name), "utf8").catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
    throw usageError(`--preset ${name} cannot be read: ${why}`, { cause });
  });
  return asUsage(async () => readPreset(text, name, kind));
}

function companyWords(counts: ExportCounts): string {
  const { rows, withoutPoint, withoutName, suppressedCompanies: companies } = counts;
  const { suppressedAddresses: addresses, suppressedPhones: phones } = counts;
  const left = [
    ...(withoutName > 0
      ? [`${countOf(withoutName, "company")} whose name comes only from the data left out`]
      : []),
    ...(withoutPoint > 0 ? [`${withoutPoint} without coordinates left out`] : []),
    ...(companies + addresses + phones > 0
      ? [`suppressed: ${countOf(companies, "company")}, ${countOf(addresses, "address")}, ${countOf(phones, "phone number")}`] // prettier-ignore
      : []),
  ];
  return [`${countOf(rows, "company")} written`, ...left].join("; ");
}

function emailWords(counts: ExportCounts): string {
  const { rows, suppressedAddresses, suppressedCompanies, repeated, shared } = counts;
  const parts = [
    ...(suppressedAddresses > 0 ? [`${suppressedAddresses} suppressed`] : []),
    ...(suppressedCompanies > 0 ? [`all of ${countOf(suppressedCompanies, "company")} on the suppression list`] : []), // prettier-ignore
    ...(repeated > 0 ? [`${repeated} repeated`] : []),
    ...(shared > 0 ? [`${shared} on too many sites`] : []),
  ];
  const left = parts.length > 0 ? `; left out: ${parts.join(", ")}` : "";
  return `${countOf(rows, "address")} written${left}`;
}
