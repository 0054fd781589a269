/**
 * Companies whose place a newer release of its source marks as closed or no longer has: their `status`
 * becomes `closed`, once, and is taken back if the place returns. So is `temporarily closed`, which
 * `companyFacts` writes, if the place is open again. Nothing is marked if
 * - the company has places of other sources too, or its place has no id of its own;
 * - the place moved into a neighbouring tile, as far as looking there costs no request;
 * - most of a tile is gone: then the release is taken for incomplete.
 */
import type { Change, TargetView } from "../ledger/index.ts";
import { tilesBeside, type PlaceSource, type Tile } from "../sources/index.ts";
import { temporarilyClosedStatus } from "./company-fields.ts";
import type { CampaignServices } from "./services.ts";

/** A company that places of a tile have brought. */
export interface TileCompany {
  readonly target: string;
  readonly places: readonly string[];
  /** The phrases and sources that found it in this tile. */
  readonly found: readonly {
    readonly phrase: string;
    readonly source?: string;
    readonly file?: string;
  }[];
  readonly isClosed: boolean;
  /** It has a `status`, whatever it says. */
  readonly hasStatus: boolean;
}

export interface ClosingServices {
  companiesIn(tile: string): Promise<readonly TileCompany[]>;
  write(commit: { readonly source: string; readonly changes: readonly Change[] }): Promise<unknown>;
}

export interface NewRelease {
  readonly tile: Tile;
  readonly source: PlaceSource;
  /** The ids of all places that the source has in the tile now. */
  readonly places: ReadonlySet<string>;
  /** Those of them that are closed for a time. */
  readonly temporarilyClosed: ReadonlySet<string>;
  /** Those whose last search was in another release. */
  readonly phrases: ReadonlySet<string>;
  /** Only what was found in this file: files of several campaigns may have one name. */
  readonly file?: string | undefined;
  readonly signal: AbortSignal;
}

export const closedStatus = "closed";
/** Ids that are made of name and position: they change with every correction. */
const unnamedPrefix = "file/";
const incompleteMin = 10;
const incompletePart = 0.5;

/** Answers how many companies it has marked as closed. */
export async function markClosed(
  services: Pick<CampaignServices, "ledger" | "closing">,
  release: NewRelease,
): Promise<number> {
  const { closing, ledger } = services;
  const { tile, source, places, temporarilyClosed, phrases, file, signal } = release;
  if (!closing || phrases.size === 0) return 0;
  const known = (await closing.companiesIn(tile.id)).filter(
    ({ found, places: own }) =>
      isOfOneSource(own) &&
      found.some(
        (one) => one.source === source.name && phrases.has(one.phrase) && one.file === file,
      ),
  );
  const isHere = (company: TileCompany) => company.places.some((id) => places.has(id));
  for (const company of known.filter((one) => one.hasStatus && isHere(one))) {
    const status = statusOf(await ledger.read(company.target));
    if (!isOurs(status) || company.places.some((id) => temporarilyClosed.has(id))) continue;
    const change = { target: company.target, field: "status", unset: true as const };
    await closing.write({ source: status!.source, changes: [change] });
  }
  const missing = known.filter((one) => !isHere(one));
  const isIncomplete =
    known.length >= incompleteMin && missing.length > known.length * incompletePart;
  const open = missing.filter(({ isClosed }) => !isClosed);
  if (isIncomplete || open.length === 0) return 0;
  const around = await placesAround(source, tile, signal);
  const gone = open.filter((company) => !company.places.some((id) => around.has(id)));
  for (const { target, places: own } of gone) {
    const change = { target, field: "status", value: closedStatus };
    await closing.write({ source: `place:${own[0]!}`, changes: [change] });
  }
  return gone.length;
}

const isOfOneSource = (places: readonly string[]): boolean =>
  places.length > 0 &&
  places.every((id) => !id.startsWith(unnamedPrefix)) &&
  new Set(places.map((id) => id.split("/", 1)[0])).size === 1;

const statusOf = ({ fields }: TargetView) => fields.find(({ field }) => field === "status");

/** What a person wrote stays. */
const isOurs = (status: ReturnType<typeof statusOf>): boolean =>
  (status?.value === closedStatus || status?.value === temporarilyClosedStatus) &&
  status.source.startsWith("place:");

/** Ids of the places in the eight tiles around; none if the source has to be asked for them. */
async function placesAround(
  source: PlaceSource,
  tile: Tile,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (source.gate || !source.area) return ids;
  for (const near of tilesBeside(tile)) {
    for (const { id } of (await source.area(near, signal)).places) ids.add(id);
  }
  return ids;
}
