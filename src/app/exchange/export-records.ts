import { AppError } from "../../base/app-error.ts";
import { afterTick } from "../../base/tick.ts";
import type { Membership } from "../../campaign/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import {
  pageLimitMax,
  placesOf,
  type Company,
  type EmailRow,
  type ExportWriter,
  type RecordPage,
  type RecordQuery,
  type SuppressList,
} from "../../records/index.ts";
import { attributionsOf, type Attribution } from "../../sources/index.ts";
import { withoutOpenData, type WithoutOptions } from "./without-open-data.ts";

export interface ExportOptions<Row> {
  readonly records: Pick<NodeReadApi["records"], "search" | "emailUsage">;
  /** Open data such as `osm`: values that come from nowhere else are left out. */
  readonly without?: WithoutOptions | undefined;
  /** Which companies: words and filters. */
  readonly query: Pick<RecordQuery, "words" | "filters">;
  /** Absent: not only those of one campaign. */
  readonly membership?: Membership | undefined;
  readonly suppressed: SuppressList;
  readonly writer: ExportWriter<Row>;
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onCompanies?: (count: number) => void;
}

export interface ExportCounts {
  /** Rows that were written. */
  readonly rows: number;
  /** Left out because the format is a map, and they have no point. */
  readonly withoutPoint: number;
  /** Left out because they, or addresses of theirs, are on a suppress list. */
  readonly suppressedCompanies: number;
  readonly suppressedAddresses: number;
  /** Of addresses: they came before, or stand on too many unrelated sites. */
  readonly repeated: number;
  readonly shared: number;
  /** Left out because nothing but open data that was not wanted names them. */
  readonly withoutName: number;
  /** The first part of the ids of their places, such as `osm`: whose data is in the export. */
  readonly placeSources: readonly string[];
  /** What has to be shown beside the data, by the licences of its sources. */
  readonly licences: readonly Attribution[];
}

/** A suppressed domain leaves its company out; a suppressed address is not told. */
export async function exportCompanies(options: ExportOptions<Company>): Promise<ExportCounts> {
  const count = { suppressedCompanies: 0, suppressedAddresses: 0 };
  const { suppressed } = options;
  const written = await writeRows(options, (company) => {
    if (suppressed.size === 0) return [company];
    const { domain } = company.texts;
    if (domain !== undefined && suppressed.hasDomain(domain)) {
      count.suppressedCompanies += 1;
      return [];
    }
    const emails = company.emails.filter(({ value }) => !suppressed.has(value));
    if (emails.length === company.emails.length) return [company];
    count.suppressedAddresses += company.emails.length - emails.length;
    return [{ ...company, emails }];
  });
  return { ...written, ...count, repeated: 0, shared: 0 };
}

/** Each address once. `sitesMax`: those on more unrelated sites belong to web designers and forms. */
export async function exportEmails(
  options: ExportOptions<EmailRow> & { readonly sitesMax: number },
): Promise<ExportCounts> {
  const { suppressed, records, sitesMax } = options;
  const seen = new Set<string>();
  const count = { suppressedAddresses: 0, repeated: 0, shared: 0 };
  const written = await writeRows(options, async (company) => {
    const rows: EmailRow[] = [];
    for (const contact of company.emails) {
      const { value } = contact;
      const isShared = async () =>
        sitesMax < Infinity && (await records.emailUsage(value)).sites > sitesMax;
      if (suppressed.has(value)) count.suppressedAddresses += 1;
      else if (seen.has(value)) count.repeated += 1;
      else if (await isShared()) count.shared += 1;
      else {
        seen.add(value);
        rows.push({ company, contact });
      }
    }
    return rows;
  });
  return { ...written, ...count, suppressedCompanies: 0 };
}

/** Page by page: memory stays small, and whoever reads only the beginning waits only for that. */
async function writeRows<Row>(
  options: ExportOptions<Row>,
  rowsOf: (company: Company) => readonly Row[] | Promise<readonly Row[]>,
) {
  const { records, query, writer, write, signal, onCompanies } = options;
  let [rows, withoutPoint, withoutName] = [0, 0, 0];
  const placeSources = new Set<string>();
  const textOf = (row: Row): string => {
    const text = writer.row(row);
    if (text === undefined) {
      withoutPoint += 1;
      return "";
    }
    rows += 1;
    return rows === 1 ? text : writer.between + text;
  };
  await write(writer.begin);
  let after: string | undefined;
  do {
    const page = await records.search({
      kind: "company",
      sort: "name",
      limit: pageLimitMax,
      ...query,
      ...(after !== undefined && { after }),
    });
    let text = "";
    const { companies, nameless } = await chosenCompanies(options, page);
    withoutName += nameless;
    for (const company of companies) {
      const chosen = rowsOf(company);
      const some = chosen instanceof Promise ? await chosen : chosen;
      for (const row of some) text += textOf(row);
      if (some.length === 0) continue;
      for (const place of placesOf(company)) placeSources.add(place.split("/", 1)[0]!);
    }
    await write(text);
    onCompanies?.(page.rows.length);
    await new Promise<void>(afterTick); // for a reader that has gone away to be noticed
    if (signal.aborted) throw new AppError("aborted", "export_stopped", "the export was stopped");
    after = page.next;
  } while (after !== undefined);
  const licences = attributionsOf([...placeSources].map((source) => `${source}/`));
  await write(writer.end(licences));
  return { rows, withoutPoint, withoutName, placeSources: [...placeSources].sort(), licences };
}

async function chosenCompanies<Row>(
  { membership, without }: ExportOptions<Row>,
  page: RecordPage,
): Promise<{ readonly companies: readonly Company[]; readonly nameless: number }> {
  const all = page.rows.flatMap((found) =>
    found.kind === "company" && (!membership || isMember(membership, found.company))
      ? [found.company]
      : [],
  );
  if (!without || without.names.size === 0) return { companies: all, nameless: 0 };
  const kept = (await withoutOpenData(all, without)).filter((one) => one !== undefined);
  return { companies: kept, nameless: all.length - kept.length };
}

const isMember = (membership: Membership, company: Company): boolean =>
  membership.has(company) &&
  !membership.isExcluded(company) &&
  membership.filterOf(company) === undefined;
