import * as z from "zod";
import { basename } from "node:path";
import type { Change, Ledger, TargetView } from "../ledger/index.ts";
import { sourceKeyRule, type SnapshotRelease, type Tile } from "../sources/index.ts";
import {
  fileSourceKey,
  isFileKey,
  placeFileKey,
  type Campaign,
  type Freshness,
} from "./campaign.ts";

/**
 * The record that a tile was searched for a phrase in a source: a datagram on target `tile/<id>`,
 * field `<phrase>@<source>`. It is written only after the whole tile was searched: a
 * failed search writes none, and a search that found nothing writes one with `found` 0.
 *
 * The source is `overpass`, the name of an import, or `placeFileKey` of the campaign's file. A
 * witness of a file counts for its campaign only, and only while the file has the same content.
 * Earlier versions wrote `<phrase>@file` for the files of all campaigns, and the first one
 * `<phrase>`: such a witness counts if its release is that of the file, or, without a release, if
 * the file has its name.
 */
export interface Witness {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly found: number;
  /** The number of found places on the suppression list, which did not become companies. */
  readonly suppressed?: number | undefined;
  /** The source as shown to people, such as `file:places.jsonl`. */
  readonly source: string;
  /** The edition of the source's data. */
  readonly release?: string | undefined;
  /** For a release that also depends on the campaign's area: the hash of the file alone. */
  readonly content?: string | undefined;
  /** A hash of the tags that the phrase had, and of the matcher's version. */
  readonly how?: string | undefined;
  /** True if the campaign's file has changed since: the tile must be searched again. Not stored. */
  readonly isOfEarlierFile?: true;
}

const schema = z.object({
  at: z.iso.datetime(),
  found: z.int().min(0),
  suppressed: z.int().min(0).optional(),
  source: z.string(),
  release: z.string().optional(),
  content: z.string().optional(),
  how: z.string().optional(),
});

export const tileTarget = (tile: Pick<Tile, "id">): string => `tile/${tile.id}`;

/** A phrase in a source. */
export interface Question {
  readonly phrase: string;
  /** One of `sourceKeysOf`. */
  readonly source: string;
}

const fieldsMax = 10_000;
/** Caches field names by source and phrase, because a plan asks for the same few in every tile. */
const fields = new Map<string, Map<string, string>>();

function fieldOf({ phrase, source }: Question): string {
  let ofSource = fields.get(source);
  if (!ofSource || ofSource.size >= fieldsMax) fields.set(source, (ofSource = new Map()));
  let field = ofSource.get(phrase);
  if (field === undefined) ofSource.set(phrase, (field = `${phrase}@${source}`));
  if (fields.size > fieldsMax) fields.clear();
  return field;
}

/** `source` is `placeFileKey` for the file of a campaign. */
export const witnessChange = (tile: Tile, question: Question, witness: Witness): Change => ({
  target: tileTarget(tile),
  field: fieldOf(question),
  value: witness,
});

/**
 * The witnesses of a tile from the view of one campaign, by `<phrase>@<one of sourceKeysOf>`. A
 * malformed value counts as no witness.
 */
export type Witnesses = ReadonlyMap<string, Witness>;

export const witnessOf = (
  witnesses: Witnesses | undefined,
  question: Question,
): Witness | undefined => witnesses?.get(fieldOf(question));

/** What distinguishes the file of a campaign from others. */
export interface WitnessedFile {
  readonly campaign: Pick<Campaign, "name" | "sourceFile">;
  /**
   * The release of the file's snapshot. Undefined if unknown; then the campaign's own witnesses
   * count.
   */
  readonly release?: Pick<SnapshotRelease, "release" | "content"> | undefined;
}

const readsAtOnce = 1_000;

/** By the id of the tile. */
export async function readWitnesses(
  ledger: Pick<Ledger, "readAll">,
  tiles: readonly Tile[],
  file: WitnessedFile,
): Promise<ReadonlyMap<string, Witnesses>> {
  const found = new Map<string, Witnesses>();
  const resolve = createResolver(file);
  for (let at = 0; at < tiles.length; at += readsAtOnce) {
    const some = tiles.slice(at, at + readsAtOnce);
    const views = await ledger.readAll(some.map(tileTarget));
    for (const [index, tile] of some.entries()) found.set(tile.id, resolve(views[index]!));
  }
  return found;
}

export const readWitnessesOf = async (
  ledger: Pick<Ledger, "read">,
  tile: Tile,
  file: WitnessedFile,
): Promise<Witnesses> => createResolver(file)(await ledger.read(tileTarget(tile)));

/** Selects, among the witnesses of all files, those of one campaign's file. */
function createResolver({ campaign, release }: WitnessedFile): (tile: TargetView) => Witnesses {
  const ownKey = placeFileKey(campaign);
  const ownName = `file:${basename(campaign.sourceFile ?? "")}`;
  const isSameFile = (witness: Witness, isOwn: boolean): boolean => {
    if (witness.release === undefined) return isOwn || witness.source === ownName;
    if (!release) return isOwn;
    const { content } = release;
    return (
      witness.release === release.release || (content !== undefined && witness.content === content)
    );
  };
  return ({ fields }) => {
    const found = new Map<string, Witness>();
    for (const { field, value } of fields) {
      const parsed = schema.safeParse(value);
      if (!parsed.success) continue;
      const witness = parsed.data;
      const { phrase, source } = questionIn(field);
      if (!isFileKey(source)) {
        found.set(field, witness);
        continue;
      }
      const isOwn = source === ownKey;
      if (ownKey === undefined || (!isOwn && source !== fileSourceKey)) continue;
      const key = fieldOf({ phrase, source: fileSourceKey });
      const known = found.get(key);
      const isKnown = known !== undefined && known.isOfEarlierFile !== true;
      if (isSameFile(witness, isOwn)) {
        if (!isKnown || witness.at > known.at) found.set(key, witness);
      } else if (isOwn && !isKnown) found.set(key, { ...witness, isOfEarlierFile: true });
    }
    return found;
  };
}

/** The first version wrote only the phrase. */
function questionIn(field: string): Question {
  const end = field.lastIndexOf("@");
  const source = field.slice(end + 1);
  return end > 0 && sourceKeyRule.test(source)
    ? { phrase: field.slice(0, end), source }
    : { phrase: field, source: fileSourceKey };
}

/** "none": never searched. "expired": searched too long ago, or the file has changed since. */
export type WitnessState = "none" | "fresh" | "empty" | "expired";

const dayMs = 86_400_000;
/** A clock may be slightly wrong; a witness from more than a day in the future is not valid. */
const aheadMsMax = dayMs;

export interface WitnessTimes {
  readonly atMs: number;
  /** When it expires. */
  readonly expiresMs: number;
}

/**
 * Parsing timestamps takes most of the time of a report over many tiles: call it once per witness.
 */
export function timesOf(
  { at, found, isOfEarlierFile }: Witness,
  freshness: Freshness,
): WitnessTimes {
  const atMs = Date.parse(at);
  if (isOfEarlierFile) return { atMs, expiresMs: atMs };
  const days = found > 0 ? freshness.foundDays : freshness.emptyDays;
  return { atMs, expiresMs: atMs + days * dayMs };
}

/** "empty" is also recent: the tile was searched, and nothing was found. */
export function witnessState(
  witness: Witness | undefined,
  freshness: Freshness,
  nowMs: number,
  times = witness && timesOf(witness, freshness),
): WitnessState {
  if (!witness || !times) return "none";
  const { atMs, expiresMs } = times;
  const isAhead = atMs > nowMs + aheadMsMax;
  if (isAhead || nowMs >= expiresMs || witness.isOfEarlierFile) return "expired";
  return witness.found > 0 ? "fresh" : "empty";
}
