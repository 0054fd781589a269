import * as z from "zod";

const text = z.string().trim().min(1).max(2_000);
const texts = z.array(text).max(50);

/** A place as a source tells it; only id and name are certain. Travels in snapshots and in tasks. */
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
  /** With house number and unit, where they are known. */
  street: text.optional(),
  city: text.optional(),
  zip: text.optional(),
  state: text.optional(),
  /** As the source writes it: a code or a name. */
  country: text.optional(),
  timezone: text.optional(),
  /** The first that the source names; what else it names is in `websites`. */
  website: text.optional(),
  websites: texts.optional(),
  phones: texts.optional(),
  faxes: texts.optional(),
  emails: texts.optional(),
  /** Addresses of profiles, or `network:name` where only a name is told. */
  socials: texts.optional(),
  operator: text.optional(),
  brand: text.optional(),
  categories: texts.optional(),
  /** As OpenStreetMap has them, `craft=plumber`; only those that say what it is. */
  tags: z.array(text).max(60).optional(),
  description: z.string().trim().min(1).max(20_000).optional(),
  rating: z.number().min(0).max(10).optional(),
  reviews: z.int().min(0).optional(),
  hours: text.optional(),
  /** Whether the source says that it is there at all, 0 to 1. */
  confidence: z.number().min(0).max(1).optional(),
  /** The source says that it is closed, but not for good. What is closed for good is no place. */
  temporarilyClosed: z.literal(true).optional(),
});
export type Place = z.infer<typeof placeSchema>;
