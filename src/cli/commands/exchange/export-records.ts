import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  exportCompanies as writeCompanies,
  exportEmails as writeEmails,
  exportToFile,
  uploadExport,
  type ExportCounts,
  type ExportOptions,
} from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { keepHeapSmall } from "../../../base/small-heap.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { membershipOf, openCampaignFolder, type Membership } from "../../../campaign/index.ts";
import {
  createCompanyWriter,
  createEmailWriter,
  emailExportFormats,
  exportColumnNames,
  exportFormats,
  joinSuppressions,
  ledgerSuppression,
  legalLines,
  readSuppressFile,
  type ExportFormat,
  type ExportWriter,
  type Suppression,
} from "../../../records/index.ts";
import { attributionLine, openDataNames } from "../../../sources/index.ts";
import type { Command, OptionSpec, SettingsContext } from "../../command.ts";
import { listFlag, parseCount, textFlag } from "../../flags.ts";
import { filterOptions, readFilters } from "../records/filter-options.ts";
import { openReaderOf } from "../../node-context.ts";
import { countRecords } from "../records/record-context.ts";

const exportOptions = (formats: readonly string[]): readonly OptionSpec[] => [
  { flag: "--format", value: "format", summary: "how", choices: formats, default: "csv" },
  { flag: "--to", value: "file", summary: "write it there, whole or not at all", complete: "file" },
  {
    flag: "--upload",
    summary: "with --to and --campaign: also into the campaign's folder of the fleet's bucket",
  },
  { flag: "--campaign", value: "name", summary: "only companies of this campaign", complete: "campaign" }, // prettier-ignore
  { flag: "--bom", summary: "begin CSV with a byte order mark, for older versions of Excel" },
  { flag: "--words", value: "words", summary: "only what a search for them finds" },
  ...filterOptions("company").filter(({ flag }) => flag !== "--included"),
  { flag: "--with-excluded", summary: "excluded ones too" },
  { flag: "--without", value: "data", summary: "leave out values that come from this open data alone", choices: openDataNames, isRepeated: true }, // prettier-ignore
  { flag: "--suppress", value: "file", summary: "addresses and domains to leave out, one a line", isRepeated: true, complete: "file" }, // prettier-ignore
];

export const exportCompanies: Command = {
  needs: "settings",
  options: [
    ...exportOptions(exportFormats),
    {
      flag: "--columns",
      value: "names",
      summary: "which columns, in which order",
      isRepeated: true,
    },
  ],
  examples: [
    { line: "forager export companies > companies.csv", summary: "all but excluded ones, by name" },
    { line: "forager export companies --campaign austin --has email --to austin.csv", summary: "leads of a campaign" }, // prettier-ignore
    { line: "forager export companies --columns name,emails,missingEmail", summary: "with the reason for each missing address" }, // prettier-ignore
    { line: "forager export companies --format geojson --to map.geojson", summary: "points for a map" }, // prettier-ignore
    { line: "forager export companies --tag vip --format vcf --to vip.vcf", summary: "for an address book" }, // prettier-ignore
    { line: "forager export companies --without osm --to mine.csv", summary: "without what only OpenStreetMap says" }, // prettier-ignore
    {
      line: "forager export companies --format jsonl | head -2",
      summary: "all that is known of each",
    },
  ],
  details: [
    "CSV is RFC 4180; text that a spreadsheet would run as a formula gets an apostrophe in front.\n" +
      "Columns keep their names and order. An import takes CSV and JSON lines back. GeoJSON and KML\n" +
      "leave out companies without coordinates, and say how many.",
    `Columns: ${exportColumnNames.join(", ")}.`,
    "With --to, FILE.about.json beside the file says when it was made, how many rows it has, and whose\n" +
      "data is in it; FILE.LICENCES.txt is what has to be shown and passed on with it, and what the\n" +
      "settings legal.* say. Without --to that is told on stderr. GeoJSON and KML also say it themselves.",
    "What is on the suppression list (`forager suppress`) is always left out; --suppress adds a file to it.",
    "--without leaves out each value whose only source is that open data, and companies that have no\n" +
      "name and no domain then. What was found on websites, by hand or in other sources stays.",
  ],

  async run(context) {
    const columns = listFlag(context.flags, "columns");
    const hasBom = context.flags["bom"] === true;
    const writer = (format: ExportFormat) => createCompanyWriter({ format, columns, hasBom });
    await write(context, { writer, run: writeCompanies, words: companyWords });
  },
};

export const exportEmails: Command = {
  needs: "settings",
  options: [
    ...exportOptions(emailExportFormats),
    { flag: "--sites-max", value: "count", summary: "leave out addresses found on more unrelated sites" }, // prettier-ignore
  ],
  examples: [
    { line: "forager export emails --country US --suppress unsubscribed.txt", summary: "each address once" }, // prettier-ignore
    { line: "forager export emails --sites-max 3", summary: "no web designers and forms" },
  ],

  async run(context) {
    const given = textFlag(context.flags, "sitesMax");
    const sitesMax = given === undefined ? Infinity : parseCount("sites-max", given);
    const hasBom = context.flags["bom"] === true;
    await write(context, {
      writer: (format: (typeof emailExportFormats)[number]) =>
        createEmailWriter(format, { hasBom }),
      run: (options) => writeEmails({ ...options, sitesMax }),
      words: emailWords,
    });
  },
};

interface ExportOf<Format, Row> {
  readonly writer: (format: Format) => ExportWriter<Row>;
  readonly run: (options: ExportOptions<Row>) => Promise<ExportCounts>;
  readonly words: (counts: ExportCounts) => string;
}

async function write<Format extends ExportFormat, Row>(
  context: SettingsContext,
  { writer, run, words }: ExportOf<Format, Row>,
): Promise<void> {
  const { flags, out, cwd, signal, clock } = context;
  const to = textFlag(flags, "to");
  const isJson = out.isJson && to === undefined;
  const fileFormat = isJson ? "json" : (textFlag(flags, "format") ?? "csv");
  const fromFiles = await readSuppressed(context);
  const campaign = textFlag(flags, "campaign");
  if (flags["upload"] === true && (to === undefined || campaign === undefined)) {
    throw usageError("--upload needs --to FILE and --campaign NAME");
  }
  const membership = campaign === undefined ? undefined : await membershipIn(context, campaign);
  const chosen = await asUsage(async () => writer(fileFormat as Format));
  keepHeapSmall();
  await using reader = await openReaderOf(context);
  const { records, ledger } = reader;
  const query = readQuery(context);
  const names = new Set((flags["without"] as readonly string[] | undefined) ?? []);
  const without = { ledger, names };
  const suppressed = joinSuppressions([ledgerSuppression(ledger), fromFiles]);
  const { legal } = context.settings;
  const options = { records, query, membership, without, suppressed, writer: chosen, legal, signal }; // prettier-ignore
  if (to === undefined) {
    const counts = await run({ ...options, write: (text) => out.piece(text) });
    out.note(words(counts));
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
    run: (writeText) => run({ ...options, write: writeText }),
  });
  const key =
    flags["upload"] === true && campaign !== undefined
      ? await uploadExport({ ...context, campaign, file: resolve(cwd, to) })
      : undefined;
  const value = { ...about, file: to, format: fileFormat, count: about.rows, key };
  out.result(
    value,
    [
      `${words(about)} to ${to}${key === undefined ? "" : ` and ${key} of the bucket`}`,
      ...about.licences.map(({ text, licence }) => `attribution: ${text} (${licence})`),
    ].join("\n"),
  );
}

function companyWords(counts: ExportCounts): string {
  const { rows, withoutPoint, withoutName, suppressedCompanies: companies } = counts;
  const { suppressedAddresses: addresses, suppressedPhones: phones } = counts;
  const left = [
    ...(withoutName > 0
      ? [`${countRecords("company", withoutName)} that only the data left out names`]
      : []),
    ...(withoutPoint > 0 ? [`${withoutPoint} without coordinates left out`] : []),
    ...(companies + addresses + phones > 0
      ? [`suppressed: ${countRecords("company", companies)}, ${addresses} addresses, ${countOf(phones, "phone number")}`] // prettier-ignore
      : []),
  ];
  return [`${countRecords("company", rows)} written`, ...left].join("; ");
}

function emailWords(counts: ExportCounts): string {
  const { rows, suppressedAddresses, suppressedCompanies, repeated, shared } = counts;
  const parts = [
    ...(suppressedAddresses > 0 ? [`${suppressedAddresses} suppressed`] : []),
    ...(suppressedCompanies > 0 ? [`those of ${countRecords("company", suppressedCompanies)} that are suppressed`] : []), // prettier-ignore
    ...(repeated > 0 ? [`${repeated} repeated`] : []),
    ...(shared > 0 ? [`${shared} on too many sites`] : []),
  ];
  const left = parts.length > 0 ? `; left out: ${parts.join(", ")}` : "";
  return `${countOf(rows, "address", "addresses")} written${left}`;
}

const membershipIn = async ({ paths }: SettingsContext, name: string): Promise<Membership> =>
  membershipOf(await asUsage(() => openCampaignFolder(paths).load(name)));

function readQuery(context: SettingsContext): ExportOptions<unknown>["query"] {
  const { flags, clock } = context;
  const words = textFlag(flags, "words");
  const filters = readFilters(flags, clock.nowMs());
  const isAll = flags["withExcluded"] === true || filters.isExcluded === true;
  return {
    filters: isAll ? filters : { ...filters, isExcluded: false },
    ...(words !== undefined && { words }),
  };
}

async function readSuppressed({ flags, cwd }: SettingsContext): Promise<Suppression> {
  const names = (flags["suppress"] as readonly string[] | undefined) ?? [];
  const texts = await Promise.all(
    names.map((name) =>
      readFile(resolve(cwd, name), "utf8").catch((cause: NodeJS.ErrnoException) => {
        const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
        throw usageError(`--suppress ${name} cannot be read: ${why}`, { cause });
      }),
    ),
  );
  const { list, problems } = readSuppressFile(texts.join("\n"));
  if (problems[0] === undefined) return list;
  throw usageError(`the suppress list is not understood: ${problems[0]}; nothing was exported`);
}
