import { AppError } from "../../base/app-error.ts";
import { afterTick } from "../../base/tick.ts";
import type { Membership } from "../../campaign/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import {
  listedKeysOf,
  pageLimitMax,
  placesOf,
  withoutListed,
  type Company,
  type EmailRow,
  type ExportWriter,
  type LegalNotice,
  type RecordPage,
  type RecordQuery,
  type Suppression,
} from "../../records/index.ts";
import { attributionsOf, type Attribution } from "../../sources/index.ts";
import type { RowChoice } from "./export-names.ts";
import { withoutOpenData, type WithoutOptions } from "./without-open-data.ts";

export interface ExportOptions<Row> {
  readonly records: Pick<NodeReadApi["records"], "search" | "emailUsage">;
  /** Open data such as `osm`: values without another source are left out. */
  readonly without?: WithoutOptions | undefined;
  /** Selects companies by words and filters. */
  readonly query: Pick<RecordQuery, "words" | "filters">;
  /** Absent: not restricted to one campaign. */
  readonly membership?: Membership | undefined;
  /** The companies and values to leave out. */
  readonly suppressed: Suppression;
  readonly writer: ExportWriter<Row>;
  /** Absent: all rows. */
  readonly choice?: RowChoice<Row> | undefined;
  /** Written by formats that have a place for it. */
  readonly legal?: LegalNotice | undefined;
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onCompanies?: (count: number) => void;
}

export interface ExportCounts {
  /** The number of rows written. */
  readonly rows: number;
  /** Left out because the format is a map and they have no coordinates. */
  readonly withoutPoint: number;
  /** Left out because they, or their addresses or numbers, are on a suppression list. */
  readonly suppressedCompanies: number;
  readonly suppressedAddresses: number;
  readonly suppressedPhones: number;
  /** Addresses left out because they occurred before, or on too many unrelated sites. */
  readonly repeated: number;
  readonly shared: number;
  /** Left out because their name comes only from open data that was excluded. */
  readonly withoutName: number;
  /** The first parts of the ids of their places, such as `osm`: the sources of the export. */
  readonly placeSources: readonly string[];
  /** Attributions that the licences of its sources require. */
  readonly licences: readonly Attribution[];
}

/**
 * Leaves out a company that is suppressed by domain or place; removes a suppressed address or
 * number.
 */
export async function exportCompanies(options: ExportOptions<Company>): Promise<ExportCounts> {
  const written = await writeRows(options, (company) => [company]);
  return { ...written, repeated: 0, shared: 0 };
}

/**
 * Each address once. Addresses on more than `sitesMax` unrelated sites belong to web designers and
 * forms.
 */
export async function exportEmails(
  options: ExportOptions<EmailRow> & { readonly sitesMax: number },
): Promise<ExportCounts> {
  const { records, sitesMax } = options;
  const wanted = options.query.filters?.emailStatus;
  const seen = new Set<string>();
  const count = { repeated: 0, shared: 0 };
  const written = await writeRows(options, async (company) => {
    const rows: EmailRow[] = [];
    for (const contact of company.emails) {
      const { value } = contact;
      if (wanted !== undefined && contact.status?.status !== wanted) continue;
      const isShared = async () =>
        sitesMax < Infinity && (await records.emailUsage(value)).sites > sitesMax;
      if (seen.has(value)) count.repeated += 1;
      else if (await isShared()) count.shared += 1;
      else {
        seen.add(value);
        rows.push({ company, contact });
      }
    }
    return rows;
  });
  return { ...written, ...count };
}

/**
 * Writes page by page, so memory use is bounded, and a reader of the beginning does not wait for
 * the rest.
 */
async function writeRows<Row>(
  options: ExportOptions<Row>,
  rowsOf: (company: Company) => readonly Row[] | Promise<readonly Row[]>,
) {
  const { records, query, writer, write, signal, onCompanies, choice } = options;
  let [rows, withoutPoint, withoutName] = [0, 0, 0];
  const left = { suppressedCompanies: 0, suppressedAddresses: 0, suppressedPhones: 0 };
  const placeSources = new Set<string>();
  const textOf = (row: Row): string => {
    const text = writer.row(row);
    if (text === undefined) {
      withoutPoint += 1;
      return "";
    }
    rows += 1;
    choice?.onWritten(row);
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
    const texts: string[] = [];
    const { companies, nameless } = await chosenCompanies(options, page);
    withoutName += nameless;
    for (const company of await unlistedCompanies(options, companies, left)) {
      const chosen = rowsOf(company);
      const some = chosen instanceof Promise ? await chosen : chosen;
      const before = rows;
      for (const row of some) if (choice?.isWanted(row) ?? true) texts.push(textOf(row));
      if (rows === before) continue;
      for (const place of placesOf(company)) placeSources.add(sourceOfPlace(place));
    }
    await write(texts.join(""));
    onCompanies?.(page.rows.length);
    await new Promise<void>(afterTick); // so that a closed reader is noticed
    if (signal.aborted) throw new AppError("aborted", "export_stopped", "the export was stopped");
    after = page.next;
  } while (after !== undefined);
  const licences = attributionsOf([...placeSources].map((source) => `${source}/`));
  await write(writer.end(licences, options.legal));
  const sources = [...placeSources].sort();
  return { rows, withoutPoint, withoutName, ...left, placeSources: sources, licences };
}

/** `osm` for `osm/node/1`; ids from a user's own file have no such part. */
function sourceOfPlace(place: string): string {
  const at = place.indexOf("/");
  return at === -1 ? "file" : place.slice(0, at);
}

type SuppressedCounts = Pick<
  ExportCounts,
  "suppressedCompanies" | "suppressedAddresses" | "suppressedPhones"
>;

/** Checks a whole page at once, because the list may be long and is read in parts. */
async function unlistedCompanies<Row>(
  { suppressed }: ExportOptions<Row>,
  companies: readonly Company[],
  count: { -readonly [name in keyof SuppressedCounts]: number },
): Promise<readonly Company[]> {
  const listed = await listedKeysOf(suppressed, companies);
  return companies.flatMap((one) => {
    const { company, emails, phones } = withoutListed(one, listed);
    if (!company) count.suppressedCompanies += 1;
    count.suppressedAddresses += emails;
    count.suppressedPhones += phones;
    return company ?? [];
  });
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
