import * as z from "zod";
import type { Change, Ledger, TargetView } from "../ledger/index.ts";
import type { Freshness } from "./campaign.ts";
import type { Tile } from "../sources/index.ts";
import { fileSourceKey } from "./campaign.ts";

/**
 * The proof that a tile was searched for a phrase in a source, for everybody: a datagram on
 * target `tile/<id>`, field `<phrase>@<source>`. Before there were several sources the field was the
 * phrase alone; such a witness counts for the source `file`. It is
 * written only after all of the tile was searched (lesson 42): a failure writes none, and a search that
 * found nothing writes one with `found` 0.
 */
export interface Witness {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly found: number;
  /** Of them: on the suppression list, so that they did not become companies. */
  readonly suppressed?: number | undefined;
  /** Where from, such as `file:places.jsonl`. */
  readonly source: string;
  /** Which edition of the source's data. */
  readonly release?: string | undefined;
  /** Which tags the phrase stood for, and by which matcher: a hash. */
  readonly how?: string | undefined;
}

const schema = z.object({
  at: z.iso.datetime(),
  found: z.int().min(0),
  suppressed: z.int().min(0).optional(),
  source: z.string(),
  release: z.string().optional(),
  how: z.string().optional(),
});

export const tileTarget = (tile: Pick<Tile, "id">): string => `tile/${tile.id}`;

/** A phrase in a source. */
export interface Question {
  readonly phrase: string;
  /** `file`, or the name of what was imported. */
  readonly source: string;
}

const fieldsMax = 10_000;
/** By source and phrase: a plan asks for the same few fields in each of its tiles. */
const fields = new Map<string, Map<string, string>>();

function fieldOf({ phrase, source }: Question): string {
  let ofSource = fields.get(source);
  if (!ofSource || ofSource.size >= fieldsMax) fields.set(source, (ofSource = new Map()));
  let field = ofSource.get(phrase);
  if (field === undefined) ofSource.set(phrase, (field = `${phrase}@${source}`));
  if (fields.size > fieldsMax) fields.clear();
  return field;
}

export const witnessChange = (tile: Tile, question: Question, witness: Witness): Change => ({
  target: tileTarget(tile),
  field: fieldOf(question),
  value: witness,
});

/** By field. What is not a witness, because somebody wrote something else there, counts as none. */
export type Witnesses = ReadonlyMap<string, Witness>;

export function witnessOf(witnesses: Witnesses | undefined, question: Question) {
  const own = witnesses?.get(fieldOf(question));
  return own ?? (question.source === fileSourceKey ? witnesses?.get(question.phrase) : undefined);
}

const readsAtOnce = 1_000;

/** By the id of the tile. */
export async function readWitnesses(
  ledger: Pick<Ledger, "readAll">,
  tiles: readonly Tile[],
): Promise<ReadonlyMap<string, Witnesses>> {
  const found = new Map<string, Witnesses>();
  for (let at = 0; at < tiles.length; at += readsAtOnce) {
    const some = tiles.slice(at, at + readsAtOnce);
    const views = await ledger.readAll(some.map(tileTarget));
    for (const [index, tile] of some.entries()) found.set(tile.id, witnessesIn(views[index]!));
  }
  return found;
}

export const readWitnessesOf = async (
  ledger: Pick<Ledger, "read">,
  tile: Tile,
): Promise<Witnesses> => witnessesIn(await ledger.read(tileTarget(tile)));

const witnessesIn = ({ fields }: TargetView): Witnesses =>
  new Map(
    fields.flatMap(({ field, value }) => {
      const parsed = schema.safeParse(value);
      return parsed.success ? [[field, parsed.data] as const] : [];
    }),
  );

/** "none": it was never searched. "expired": too long ago. */
export type Standing = "none" | "fresh" | "empty" | "expired";

const dayMs = 86_400_000;
/** A clock may be a little wrong; one that is a day ahead has written nonsense. */
const aheadMsMax = dayMs;

export interface WitnessTimes {
  readonly atMs: number;
  /** When it stops to count. */
  readonly expiresMs: number;
}

/** Reading a moment takes most of the time of a report over many tiles: ask for it once. */
export function timesOf({ at, found }: Witness, freshness: Freshness): WitnessTimes {
  const atMs = Date.parse(at);
  const days = found > 0 ? freshness.foundDays : freshness.emptyDays;
  return { atMs, expiresMs: atMs + days * dayMs };
}

/** "empty" is fresh too: it was searched, and nothing was there. */
export function standingOf(
  witness: Witness | undefined,
  freshness: Freshness,
  nowMs: number,
  times = witness && timesOf(witness, freshness),
): Standing {
  if (!witness || !times) return "none";
  const { atMs, expiresMs } = times;
  const isAhead = atMs > nowMs + aheadMsMax;
  if (isAhead || nowMs >= expiresMs) return "expired";
  return witness.found > 0 ? "fresh" : "empty";
}
