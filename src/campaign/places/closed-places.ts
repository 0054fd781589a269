/**
 * Sets the `status` of a company to `closed` when a newer release of its source marks its place as
 * closed or no longer has it, and removes that status when the place returns. A `temporarily
 * closed` that `companyFacts` wrote is also removed when the place is open again. Nothing is marked
 * if
 * - the company also has places of other sources, the file of another campaign found it too, or its
 *   place has no id of its own;
 * - the place moved into a neighbouring tile, as far as this can be checked without a request;
 * - most of a tile is gone: the release is then considered incomplete.
 */
import type { Change, TargetView } from "../../ledger/index.ts";
import { neighbourTiles, type PlaceSource, type Tile } from "../../sources/index.ts";
import { temporarilyClosedStatus } from "./company-fields.ts";
import type { CampaignServices } from "../services.ts";

/** A company that comes from places of a tile. */
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
  /** True if it has a `status`, whatever its value. */
  readonly hasStatus: boolean;
}

export interface ClosingServices {
  companiesIn(tile: string): Promise<readonly TileCompany[]>;
  write(commit: { readonly source: string; readonly changes: readonly Change[] }): Promise<unknown>;
}

export interface NewRelease {
  readonly tile: Tile;
  readonly source: PlaceSource;
  /** The ids of all places that the source now has in the tile. */
  readonly places: ReadonlySet<string>;
  /** Those of these places that are temporarily closed. */
  readonly temporarilyClosed: ReadonlySet<string>;
  /** The phrases that were last searched in another release. */
  readonly phrases: ReadonlySet<string>;
  /**
   * Only companies found in this file are checked: the files of several campaigns may have the same
   * name.
   */
  readonly file?: string | undefined;
  readonly signal: AbortSignal;
}

export const closedStatus = "closed";
/** These ids are derived from name and position, so they change with every correction. */
const unnamedPrefix = "file/";
const incompleteMin = 10;
const incompletePart = 0.5;

/** Returns how many companies it has marked as closed. */
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
  const isElsewhere = ({ found }: TileCompany) =>
    found.some((one) => one.file !== undefined && campaignOf(one.file) !== campaignOf(file));
  const missing = known.filter((one) => !isHere(one));
  const isIncomplete =
    known.length >= incompleteMin && missing.length > known.length * incompletePart;
  const open = missing.filter((one) => !one.isClosed && !isElsewhere(one));
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

/** The middle part of the key of a file. Another file of the same campaign replaces this one. */
const campaignOf = (fileKey: string | undefined) => fileKey?.split(".")[1];

const statusOf = ({ fields }: TargetView) => fields.find(({ field }) => field === "status");

/** A status that a person wrote is kept. */
const isOurs = (status: ReturnType<typeof statusOf>): boolean =>
  (status?.value === closedStatus || status?.value === temporarilyClosedStatus) &&
  status.source.startsWith("place:");

/** Ids of the places in the eight tiles around; none if the source would need requests for them. */
async function placesAround(
  source: PlaceSource,
  tile: Tile,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (source.gate || !source.area) return ids;
  for (const near of neighbourTiles(tile)) {
    for (const { id } of (await source.area(near, signal)).places) ids.add(id);
  }
  return ids;
}
