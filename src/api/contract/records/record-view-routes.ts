import * as z from "zod";
import { companyFilter } from "./record-routes.ts";
import { count, licences, route } from "../route.ts";

/** Views of companies other than a list: how many have each value, and their locations. */
export const facetFields = ["city", "state", "country", "category", "tag", "tech"] as const;

export const recordViewRoutes = {
  companyFacets: route({
    method: "GET",
    path: "/api/companies/facets",
    scope: "companies:read",
    summary: "the most frequent values among the companies that match",
    query: z.strictObject(companyFilter),
    answer: z.strictObject({
      facets: z.array(
        z.strictObject({
          field: z.enum(facetFields),
          values: z.array(z.strictObject({ value: z.string(), count })),
        }),
      ),
      counted: count,
      licences,
      isComplete: z.boolean().describe("false: counting stopped at a limit"),
    }),
  }),
  companyPoints: route({
    method: "GET",
    path: "/api/companies/points",
    scope: "companies:read",
    summary: "where companies are, for a map",
    query: z.strictObject(companyFilter),
    answer: z.strictObject({
      rows: z.array(
        z
          .tuple([z.string(), z.string(), z.number(), z.number(), z.boolean()])
          .describe("folder, name, latitude, longitude, whether an email address is known"),
      ),
      isComplete: z.boolean().describe("false: there are more"),
      licences,
    }),
  }),
};
