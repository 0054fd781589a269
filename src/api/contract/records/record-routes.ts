import * as z from "zod";
import { count, licences, moment, name, pageCursor, pageLimit, pageOf, route } from "../route.ts";

const emailStatus = z.enum(["ok-domain", "no-mail", "disposable", "malformed", "unknown"]);

export const contact = z.strictObject({
  value: z.string(),
  label: z.string().optional(),
  url: z.string().optional(),
  method: z.string().optional(),
  status: z
    .strictObject({
      status: emailStatus,
      because: z
        .string()
        .optional()
        .describe("mx, address-only, null-mx, no-records, no-domain, list"),
      kind: z.string().optional().describe("role or person"),
      at: z.string().describe("when DNS was asked"),
    })
    .optional()
    .describe("of a checked address: what DNS says of its domain; nobody has sent anything there"),
});
const member = z.strictObject({ id: z.string(), role: z.string().optional() });
export const entry = z.strictObject({
  kind: z.enum(["note", "meeting", "call"]),
  id: z.string(),
  at: z.string(),
  text: z.string(),
  title: z.string().optional(),
  by: z.string().optional(),
  outcome: z.string().optional(),
  callback: z.string().optional(),
});

const recordFields = {
  target: z.string().describe("company/ID or person/ID; never changes"),
  slug: z.string().describe("the name of its folder"),
  slugWanted: z.string(),
  aliases: z.array(z.string()),
  name: z.string(),
  texts: z.record(z.string(), z.string()).describe("domain, website, city, hours …"),
  emails: z.array(contact),
  phones: z.array(contact),
  socials: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  entries: z.array(entry),
  extra: z.record(z.string(), z.unknown()),
  description: z.string().optional(),
  changedAt: z.string().describe("the stamp of the newest value"),
};

/** The search that found a company. */
const foundBy = z.strictObject({
  tile: z.string(),
  phrase: z.string(),
  campaign: z.string().optional(),
  file: z.string().optional().describe("found in the file of that campaign: the key of the file"),
  at: z.string().optional(),
  source: z.string().optional(),
  filtered: z.string().optional().describe("the filter of the campaign that rejects it"),
});

const companyFields = {
  ...recordFields,
  numbers: z.record(z.string(), z.number()).describe("latitude, longitude, rating, reviews …"),
  categories: z.array(z.string()),
  services: z.array(z.string()),
  products: z.array(z.string()),
  tech: z.array(z.string()),
  keywords: z.array(z.string()),
  people: z.array(member),
  foundBy: z.array(foundBy).optional(),
  places: z.array(z.string()).optional().describe("its places in all sources: osm/node/1"),
  distinctFrom: z.array(z.string()).optional().describe("ids of companies that are not the same"),
  excluded: z.string().optional(),
  callback: z.string().optional(),
};

const visitFields = {
  at: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  version: z.number(),
};

const personFields = { ...recordFields, companies: z.array(member) };

export const companyRow = z.strictObject({
  ...companyFields,
  visit: z.looseObject(visitFields).optional().describe("the last visit of its website"),
});
export const personRow = z.strictObject(personFields);

const problemRow = z.strictObject({
  path: z.string(),
  target: z.string().optional(),
  reason: z.string(),
  foundAt: z.string(),
});

/** A value with its source. */
export const fieldRow = z.strictObject({
  field: z.string(),
  value: z.unknown().optional(),
  source: z.string(),
  stamp: z.string(),
  node: z.string(),
  dot: z.string().describe("names the write: node/session/number"),
  licence: z.string().optional().describe("of the open data that it comes from"),
});

/** The parts of a company that a link to it needs. */
export const recordReference = z.strictObject({
  target: z.string(),
  slug: z.string(),
  name: z.string(),
});

const duplicate = recordReference.extend({
  because: z.enum(["domain", "place", "name and address"]),
});

const shown = {
  file: z.string().nullable().describe("below the data folder; null: none yet"),
  problems: z.array(problemRow),
  provenance: z.array(fieldRow).describe("every value with its source"),
};

export const companyShown = z.strictObject({
  ...companyFields,
  ...shown,
  duplicates: z.array(duplicate),
  merged: z.array(recordReference).describe("companies that were merged into this one"),
  licences,
  visit: z
    .looseObject({ ...visitFields, seen: z.array(z.string()) })
    .nullable()
    .describe("the last visit of its website"),
});
export const personShown = z.strictObject({ ...personFields, ...shown });

const word = z.string().min(1).max(200);
const personFilter = {
  words: z.string().max(500).optional().describe("beginnings of words, in any order"),
  tag: z.array(word).max(20).optional(),
  city: word.optional(),
  state: word.optional(),
  country: word.optional(),
  hasEmail: z.boolean().optional(),
  emailStatus: emailStatus.optional().describe("with an address of this status"),
  hasPhone: z.boolean().optional(),
  hasDomain: z.boolean().optional(),
  hasCallback: z.boolean().optional(),
  isCalled: z.boolean().optional(),
  callbackUntil: moment.optional(),
  changedSince: moment.optional(),
};

export const companyFilter = {
  ...personFilter,
  category: z.array(word).max(20).optional(),
  type: word.optional(),
  domain: word.optional(),
  tech: word.optional(),
  isExcluded: z.boolean().optional(),
  ratingMin: z.number().min(0).max(100).optional(),
  reviewsMin: count.optional(),
};

const page = {
  sort: z.enum(["name", "changed", "rating", "reviews", "callback"]).optional(),
  after: pageCursor.optional(),
  limit: pageLimit,
};

export const recordName = z
  .strictObject({ name })
  .describe("its folder, an old folder, its id, or company/ID with the slash written as %2F");

export const recordRoutes = {
  listCompanies: route({
    method: "GET",
    path: "/api/companies",
    scope: "companies:read",
    summary: "companies by words and filters",
    query: z.strictObject({ ...companyFilter, ...page }),
    answer: pageOf(companyRow),
    commands: ["company search", "company list"],
  }),
  countCompanies: route({
    method: "GET",
    path: "/api/companies/count",
    scope: "companies:read",
    summary: "how many companies match; counting stops at 100,000",
    query: z.strictObject(companyFilter),
    answer: z.strictObject({ count, isComplete: z.boolean() }),
    commands: ["records check"],
  }),
  showCompany: route({
    method: "GET",
    path: "/api/companies/{name}",
    scope: "companies:read",
    summary: "everything known about a company, with the source of each value",
    params: recordName,
    answer: companyShown,
    commands: ["company show"],
  }),
  listPeople: route({
    method: "GET",
    path: "/api/people",
    scope: "companies:read",
    summary: "people by words and filters",
    query: z.strictObject({ ...personFilter, ...page }),
    answer: pageOf(personRow),
    commands: ["person search", "person list"],
  }),
  showPerson: route({
    method: "GET",
    path: "/api/people/{name}",
    scope: "companies:read",
    summary: "everything known about a person, with the source of each value",
    params: recordName,
    answer: personShown,
    commands: ["person show"],
  }),
};
