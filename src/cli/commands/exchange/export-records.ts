import { createWriteStream } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../../base/app-error.ts";
import { translateFileError } from "../../../base/atomic-file.ts";
import { countOf } from "../../../base/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import {
  companyCard,
  companyCsvHeader,
  companyCsvLine,
  companyObject,
  emailCard,
  emailCsvHeader,
  emailCsvLine,
  emailObject,
  readSuppressList,
  type Company,
  type EmailRow,
  type RecordQuery,
  type SuppressList,
} from "../../../records/index.ts";
import type { Command, OptionSpec, SettingsContext } from "../../command.ts";
import { parseCount, textFlag } from "../../flags.ts";
import { filterOptions, readFilters } from "../records/filter-options.ts";
import { openReaderOf } from "../../node-context.ts";
import { countRecords } from "../records/record-context.ts";

type Format = "csv" | "jsonl" | "vcf";

/** How rows of one sort become text. */
interface Writer<Row> {
  readonly header: () => string;
  readonly csv: (row: Row) => string;
  readonly object: (row: Row) => Readonly<Record<string, unknown>>;
  readonly card: (row: Row) => string;
}

const companyWriter: Writer<Company> = {
  header: companyCsvHeader,
  csv: companyCsvLine,
  object: companyObject,
  card: companyCard,
};

const emailWriter: Writer<EmailRow> = {
  header: emailCsvHeader,
  csv: emailCsvLine,
  object: emailObject,
  card: emailCard,
};

const exportOptions: readonly OptionSpec[] = [
  { flag: "--format", value: "format", summary: "how", choices: ["csv", "jsonl", "vcf"], default: "csv" }, // prettier-ignore
  { flag: "--to", value: "file", summary: "write it there, whole or not at all", complete: "file" },
  { flag: "--words", value: "words", summary: "only what a search for them finds" },
  ...filterOptions("company").filter(({ flag }) => flag !== "--included"),
  { flag: "--with-excluded", summary: "excluded ones too" },
  { flag: "--suppress", value: "file", summary: "addresses and domains to leave out, one a line", isRepeated: true, complete: "file" }, // prettier-ignore
];

export const exportCompanies: Command = {
  needs: "settings",
  options: exportOptions,
  examples: [
    { line: "forager export companies > companies.csv", summary: "all but excluded ones, by name" },
    { line: "forager export companies --tag vip --format vcf --to vip.vcf", summary: "for an address book" }, // prettier-ignore
    {
      line: "forager export companies --format jsonl | head -2",
      summary: "all that is known of each",
    },
  ],
  details: [
    "CSV is RFC 4180; text that a spreadsheet would run as a formula gets an apostrophe in front.\n" +
      "Columns keep their names and order. An import takes CSV and JSON lines back.",
  ],

  async run(context) {
    const filter = companyFilter(await readSuppressed(context));
    await writeRows(context, companyWriter, {
      rowsOf: (company) => filter.keep(company),
      words: (count) => `${countRecords("company", count)} written${filter.left()}`,
    });
  },
};

export const exportEmails: Command = {
  needs: "settings",
  options: [
    ...exportOptions,
    { flag: "--sites-max", value: "count", summary: "leave out addresses found on more unrelated sites" }, // prettier-ignore
  ],
  examples: [
    { line: "forager export emails --country US --suppress unsubscribed.txt", summary: "each address once" }, // prettier-ignore
    { line: "forager export emails --sites-max 3", summary: "no web designers and forms" },
  ],

  async run(context) {
    const suppressed = await readSuppressed(context);
    const given = textFlag(context.flags, "sitesMax");
    const sitesMax = given === undefined ? Infinity : parseCount("sites-max", given);
    const seen = new Set<string>();
    const count = { twice: 0, suppressed: 0, shared: 0 };
    await writeRows(context, emailWriter, {
      async rowsOf(company, records) {
        const rows: EmailRow[] = [];
        for (const contact of company.emails) {
          const { value } = contact;
          const isShared = async () =>
            sitesMax < Infinity && (await records.emailUsage(value)).sites > sitesMax;
          if (suppressed.has(value)) count.suppressed += 1;
          else if (seen.has(value)) count.twice += 1;
          else if (await isShared()) count.shared += 1;
          else {
            seen.add(value);
            rows.push({ company, contact });
          }
        }
        return rows;
      },
      words(written) {
        const parts = [
          ...(count.suppressed > 0 ? [`${count.suppressed} suppressed`] : []),
          ...(count.twice > 0 ? [`${count.twice} there already`] : []),
          ...(count.shared > 0 ? [`${count.shared} on too many sites`] : []),
        ];
        const left = parts.length > 0 ? `; left out: ${parts.join(", ")}` : "";
        return `${countOf(written, "address").replace(/addresss$/, "addresses")} written${left}`;
      },
    });
  },
};

/** A suppressed domain leaves its company out; a suppressed address is not told. */
function companyFilter(suppressed: SuppressList) {
  const count = { companies: 0, addresses: 0 };
  return {
    keep(company: Company): readonly Company[] {
      const { domain } = company.texts;
      if (domain !== undefined && suppressed.hasDomain(domain)) {
        count.companies += 1;
        return [];
      }
      const emails = company.emails.filter(({ value }) => !suppressed.has(value));
      if (emails.length === company.emails.length) return [company];
      count.addresses += company.emails.length - emails.length;
      return [{ ...company, emails }];
    },
    left: () =>
      count.companies + count.addresses === 0
        ? ""
        : `; suppressed: ${countRecords("company", count.companies)}, ${count.addresses} addresses`,
  };
}

interface Rows<Row> {
  readonly rowsOf: (
    company: Company,
    records: NodeReadApi["records"],
  ) => readonly Row[] | Promise<readonly Row[]>;
  readonly words: (count: number) => string;
}

const pageCompanies = 500;

/** Page by page: memory stays small, and whoever reads only the beginning waits only for that. */
async function writeRows<Row>(
  context: SettingsContext,
  writer: Writer<Row>,
  { rowsOf, words }: Rows<Row>,
): Promise<void> {
  const { flags, out, cwd, signal } = context;
  const to = textFlag(flags, "to");
  const asJson = out.isJson && to === undefined;
  const format = (textFlag(flags, "format") ?? "csv") as Format;
  const query = readQuery(context);
  await using reader = await openReaderOf(context);
  const { records } = reader;
  const file = to === undefined ? undefined : await openTarget(resolve(cwd, to));
  const write = (text: string) => (file ? file.write(text) : out.piece(text));
  let count = 0;
  const textOf = (row: Row) => {
    if (asJson) return `${count++ === 0 ? "" : ","}\n${JSON.stringify(writer.object(row))}`;
    count += 1;
    if (format === "csv") return writer.csv(row);
    return format === "vcf" ? writer.card(row) : `${JSON.stringify(writer.object(row))}\n`;
  };
  try {
    if (asJson) await write("[");
    else if (format === "csv") await write(writer.header());
    let after: string | undefined;
    do {
      const page = await records.search({ ...query, ...(after !== undefined && { after }) });
      const rows: Row[] = [];
      for (const row of page.rows) {
        if (row.kind === "company") rows.push(...(await rowsOf(row.company, records)));
      }
      await write(rows.map(textOf).join(""));
      await nextTurn(); // for a reader that has gone away to be noticed
      if (signal.aborted) throw new AppError("aborted", "export_stopped", "the export was stopped");
      after = page.next;
    } while (after !== undefined);
    if (asJson) await write("\n]\n");
    await file?.commit();
  } catch (error) {
    await file?.discard();
    throw error;
  }
  if (to === undefined) out.note(words(count));
  else out.result({ file: to, format, count }, `${words(count)} to ${to}`);
}

function readQuery(context: SettingsContext): RecordQuery {
  const { flags, clock } = context;
  const words = textFlag(flags, "words");
  const filters = readFilters(flags, clock.nowMs());
  const isAll = flags["withExcluded"] === true || filters.isExcluded === true;
  return {
    kind: "company",
    sort: "name",
    limit: pageCompanies,
    filters: isAll ? filters : { ...filters, isExcluded: false },
    ...(words !== undefined && { words }),
  };
}

async function readSuppressed({ flags, cwd }: SettingsContext): Promise<SuppressList> {
  const names = (flags["suppress"] as readonly string[] | undefined) ?? [];
  const texts = await Promise.all(
    names.map((name) =>
      readFile(resolve(cwd, name), "utf8").catch((cause: NodeJS.ErrnoException) => {
        const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
        throw usageError(`--suppress ${name} cannot be read: ${why}`, { cause });
      }),
    ),
  );
  const { list, problems } = readSuppressList(texts.join("\n"));
  if (problems[0] === undefined) return list;
  throw usageError(`the suppress list is not understood: ${problems[0]}; nothing was exported`);
}

/** A file that takes its name only when it is whole. */
async function openTarget(path: string) {
  const part = `${path}.part`;
  const stream = createWriteStream(part, { mode: 0o600 });
  const ended = finished(stream).catch((error: unknown) => translateFileError(error, path));
  const check = async (isGood: boolean) => {
    if (isGood) return;
    const error = await Promise.race([
      ended,
      new Promise<void>((go) => void stream.once("drain", go)),
    ]);
    if (error) throw error as Error;
  };
  return {
    write: (text: string) => check(text === "" || stream.write(text)),
    async commit() {
      stream.end();
      const error = await ended;
      if (error) throw error as Error;
      await rename(part, path);
    },
    async discard() {
      stream.destroy();
      await rm(part, { force: true });
    },
  };
}
