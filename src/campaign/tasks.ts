import { createHash } from "node:crypto";
import * as z from "zod";
import type { TaskInput } from "../queue/index.ts";
import { parseTileId, placeSchema } from "../sources/index.ts";
import { fileSourceKey, overpassSourceKey, type Campaign } from "./campaign.ts";
import type { DueTarget } from "./dispatch.ts";
import { overpassGate } from "./places/overpass-plan.ts";

/** One tile of one source, with all due phrases → companies. */
export const discoverKind = "discover";
/** One place → the fields of a company. */
export const detailsKind = "details";
/** One website → contacts. */
export const enrichKind = "enrich";

const duePhrase = z.object({
  phrase: z.string().min(1),
  /** The time of the existing witness when this question was asked. */
  since: z.iso.datetime().optional(),
});

/** A task of the first version has one phrase, and its source is the campaign's file. */
export const discoverSchema = z
  .object({
    campaign: z.string(),
    tile: z.string().refine((id) => parseTileId(id) !== undefined, { error: "is not a tile" }),
    source: z.string().default(fileSourceKey),
    due: z.array(duePhrase).min(1).optional(),
    phrase: z.string().min(1).optional(),
    since: z.iso.datetime().optional(),
  })
  .refine(({ due, phrase }) => due !== undefined || phrase !== undefined, {
    error: "needs phrases",
  })
  .transform(({ due, phrase = "", since, ...rest }) => ({
    ...rest,
    due: due ?? [{ phrase, ...(since !== undefined && { since }) }],
  }));
export type DiscoverPayload = z.output<typeof discoverSchema>;

export const detailsSchema = z
  .object({
    campaign: z.string(),
    tile: z.string(),
    phrase: z.string(),
    /** `file`, or the name of an import. */
    source: z.string().default(fileSourceKey),
    /** When the place was found, ISO 8601. */
    at: z.iso.datetime(),
    /** The whole place, or absent: then the source is asked for `id`. */
    place: placeSchema.optional(),
    id: z.string().optional(),
  })
  .refine(({ place, id }) => place !== undefined || id !== undefined, {
    error: "needs a place, or the id of one",
  });
export type DetailsPayload = z.output<typeof detailsSchema>;

/**
 * Follow-up tasks of a company come before the next tile, so that results appear while tiles still
 * wait.
 */
const discoverPriority = 300;

/** Servers are sometimes busy for hours, and each refusal is an attempt. */
const askedAttempts = 50;

export interface DiscoverTaskOptions {
  /** True if a snapshot has the answer, so that no server is asked. */
  readonly isKept?: boolean;
  /** The hash of the campaign's file. */
  readonly content?: string | undefined;
}

/** All due phrases of one tile and one source. Requests to a server go through its gate. */
export function discoverTask(
  { name: campaign, overpass }: Pick<Campaign, "name" | "overpass">,
  targets: readonly DueTarget[],
  { isKept = false, content }: DiscoverTaskOptions = {},
): TaskInput {
  const [{ tile, source }] = targets as readonly [DueTarget, ...DueTarget[]];
  const due = targets.map(({ phrase, since }) => ({
    phrase,
    ...(since === undefined ? {} : { since }),
  }));
  // The same question has the same key: it is asked only once until it is answered.
  const asked = source === fileSourceKey && content !== undefined ? [...due, content] : due;
  const round = createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 16);
  const isAsked = source === overpassSourceKey && overpass !== undefined && !isKept;
  return {
    kind: discoverKind,
    job: campaign,
    ...(isAsked && { gate: overpassGate(overpass.url), attemptsMax: askedAttempts }),
    key: `${discoverKind} ${tile.id} ${source} ${round}`,
    priority: discoverPriority,
    payload: { campaign, tile: tile.id, source, due },
  };
}
