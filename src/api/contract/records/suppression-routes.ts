import * as z from "zod";
import { count, moment, pageCursor, pageLimit, pageOf, route } from "../route.ts";

const values = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(1_000)
  .describe(
    "e-mail addresses, domains, phone numbers with their country code, ids of places (osm/node/1)",
  );
const country = z
  .string()
  .length(2)
  .optional()
  .describe("where phone numbers without a country code are meant to be");

/** Values are in bodies, never in paths, because paths are written to logs. */
export const suppressionRoutes = {
  listSuppressions: route({
    method: "GET",
    path: "/api/suppressions",
    scope: "companies:read",
    summary: "the suppression list: hashes with kind, date and reason, newest first",
    query: z.strictObject({
      kind: z.enum(["email", "domain", "phone", "place"]).optional(),
      limit: pageLimit,
      after: pageCursor.optional(),
    }),
    answer: pageOf(
      z.strictObject({
        id: z.string().describe("the beginning of its hash"),
        kind: z.enum(["email", "domain", "phone", "place"]),
        at: moment,
        source: z.string(),
        reason: z.string().optional(),
      }),
    ),
    commands: ["suppress list"],
  }),
  addSuppressions: route({
    method: "POST",
    path: "/api/suppressions",
    scope: "companies:write",
    summary: "add values to the suppression list: they are no longer gathered, visited or exported",
    body: z.strictObject({ values, country, reason: z.string().min(1).max(500).optional() }),
    answer: z.strictObject({ added: count, known: count }),
    commands: ["suppress add"],
  }),
  checkSuppressions: route({
    method: "POST",
    path: "/api/suppressions/check",
    scope: "companies:read",
    summary: "which values are listed: themselves, by a domain, or because they were forgotten",
    body: z.strictObject({ values, country }),
    answer: z.strictObject({
      rows: z.array(z.strictObject({ value: z.string(), isListed: z.boolean() })),
    }),
    commands: ["suppress list"],
  }),
  removeSuppressions: route({
    method: "POST",
    path: "/api/suppressions/remove",
    scope: "companies:write",
    summary: "remove values from the suppression list",
    body: z.strictObject({ values, country }),
    answer: z.strictObject({ removed: count }),
    commands: ["suppress remove"],
  }),
};
