import { z } from "zod";

const text = z.string().trim().min(1).max(2_000);

/** A place as a source tells it; only id and name are certain. Travels as a task's payload. */
export const placeSchema = z.object({
  /** Names it in its source for good: `osm/node/240109189`. */
  id: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}\p{Surrogate}]+$/u),
  name: text,
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
  address: text.optional(),
  street: text.optional(),
  city: text.optional(),
  zip: text.optional(),
  state: text.optional(),
  country: text.optional(),
  timezone: text.optional(),
  website: text.optional(),
  phones: z.array(text).max(50).optional(),
  emails: z.array(text).max(50).optional(),
  categories: z.array(text).max(50).optional(),
  description: z.string().trim().min(1).max(20_000).optional(),
  rating: z.number().min(0).max(10).optional(),
  reviews: z.int().min(0).optional(),
  hours: text.optional(),
});
export type Place = z.infer<typeof placeSchema>;

export interface PlaceQuery {
  /** In degrees: southern and western edges belong to it. */
  readonly box: {
    readonly south: number;
    readonly west: number;
    readonly north: number;
    readonly east: number;
  };
  readonly phrase: string;
  readonly signal?: AbortSignal;
}

/**
 * Where places come from, as campaigns need it; the adapters are in `src/sources`. What cannot be
 * looked through to its end throws: half an answer would become a witness.
 */
export interface PlaceFinder {
  /** For witnesses and provenance: `file:places.jsonl`. */
  readonly name: string;
  find(query: PlaceQuery): AsyncIterable<Place>;
  /** For a task that has the id alone. Undefined: the source has no such place any more. */
  look(id: string, signal?: AbortSignal): Promise<Place | undefined>;
}
