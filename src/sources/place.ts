import * as z from "zod";

const text = z.string().trim().min(1).max(2_000);
const texts = z.array(text).max(50);

/**
 * A place as a source describes it; only id and name are always there. Sent in snapshots and in
 * tasks.
 */
export const placeSchema = z.object({
  /** Its permanent id in its source: `osm/node/240109189`. */
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
  /** With house number and unit, if known. */
  street: text.optional(),
  city: text.optional(),
  zip: text.optional(),
  state: text.optional(),
  /** As the source writes it: a code or a name. */
  country: text.optional(),
  timezone: text.optional(),
  /** The first website of the source; all others are in `websites`. */
  website: text.optional(),
  websites: texts.optional(),
  phones: texts.optional(),
  faxes: texts.optional(),
  emails: texts.optional(),
  /** Addresses of profiles, or `network:name` if only a name is given. */
  socials: texts.optional(),
  operator: text.optional(),
  brand: text.optional(),
  categories: texts.optional(),
  /** Tags of OpenStreetMap, `craft=plumber`; only those that say what the place is. */
  tags: z.array(text).max(60).optional(),
  description: z.string().trim().min(1).max(20_000).optional(),
  rating: z.number().min(0).max(10).optional(),
  reviews: z.int().min(0).optional(),
  hours: text.optional(),
  /** The source's confidence that the place exists, 0 to 1. */
  confidence: z.number().min(0).max(1).optional(),
  /** Values of the source that were not understood; only in reports. */
  unread: z
    .array(z.object({ field: z.enum(["rating", "reviews", "confidence"]), value: text }))
    .optional(),
  /** Closed for a time, according to the source. Permanently closed places are left out. */
  temporarilyClosed: z.literal(true).optional(),
});
export type Place = z.infer<typeof placeSchema>;
