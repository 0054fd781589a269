import { z } from "zod";
import type { TaskInput } from "../queue/index.ts";
import type { DueTarget } from "./dispatch.ts";
import { parseTileId } from "./grid.ts";
import { placeSchema, type Place } from "./place.ts";

/** One tile, one phrase → the places there. */
export const discoverKind = "discover";
/** One place → the fields of a company. */
export const detailsKind = "details";
/** One website → contacts. */
export const enrichKind = "enrich";

export const discoverSchema = z.object({
  campaign: z.string(),
  tile: z.string().refine((id) => parseTileId(id) !== undefined, { error: "is no tile" }),
  phrase: z.string().min(1),
  /** The witness that had expired when this was asked for. */
  since: z.iso.datetime().optional(),
});
export type DiscoverPayload = z.infer<typeof discoverSchema>;

export const detailsSchema = z
  .object({
    campaign: z.string(),
    tile: z.string(),
    phrase: z.string(),
    /** When the place was found, ISO 8601. */
    at: z.iso.datetime(),
    /** All that the source said, or by `id` alone: then the source is asked. */
    place: placeSchema.optional(),
    id: z.string().optional(),
  })
  .refine(({ place, id }) => place !== undefined || id !== undefined, {
    error: "needs a place, or the id of one",
  });
export type DetailsPayload = z.infer<typeof detailsSchema>;

export function discoverTask(campaign: string, { tile, phrase, since }: DueTarget): TaskInput {
  const payload: DiscoverPayload = {
    campaign,
    tile: tile.id,
    phrase,
    ...(since === undefined ? {} : { since }),
  };
  const key = `${discoverKind} ${tile.id} ${phrase} ${since ?? "first"}`;
  return { kind: discoverKind, job: campaign, key, payload };
}

export interface FoundPlace extends Pick<
  DiscoverPayload,
  "campaign" | "tile" | "phrase" | "since"
> {
  readonly at: string;
  readonly place: Place;
}

/** Keyed by the round and not by the moment: a discovery that runs again adds nothing twice. */
export function detailsTask({ since, ...found }: FoundPlace): TaskInput {
  const { campaign, tile, phrase, place } = found;
  const payload: DetailsPayload = found;
  const key = `${detailsKind} ${place.id} ${tile} ${phrase} ${since ?? "first"}`;
  return { kind: detailsKind, job: campaign, key, payload };
}
