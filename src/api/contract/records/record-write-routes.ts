import * as z from "zod";
import { entry, fieldRow, recordName } from "./record-routes.ts";
import { count, limitMax, moment, name, route } from "../route.ts";

const field = z.string().min(1).max(300);
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .optional()
  .describe("for phone numbers without a country code");

/** Field → value. Lists such as `email` and `tag` grow; `x/NAME` is a custom field. */
const values = z.record(field, z.unknown()).refine((all) => Object.keys(all).length <= 200, {
  error: "at most 200 fields",
});

const created = z.strictObject({
  outcome: z
    .enum(["created", "known", "suppressed"])
    .describe(
      "known: what it lacked was added, nothing was changed; suppressed: nothing was written",
    ),
  target: z.string(),
  slug: z.string(),
  written: count,
  leftOut: z.array(z.string()),
  samePhone: z.array(z.string()).describe("other companies that have one of its phone numbers"),
  kept: z
    .array(z.strictObject({ field: z.string(), value: z.unknown(), given: z.unknown() }))
    .describe("values of the known company that differ, and are kept"),
});

const editBody = z
  .strictObject({
    set: values.optional(),
    unset: z.array(field).max(200).optional(),
    slug: name.optional().describe("a new folder name; the old one redirects to it"),
    country,
  })
  .describe("manual values override collected ones until they are unset");

const edited = z.strictObject({
  target: z.string(),
  slug: z.string(),
  changed: z.array(z.string()),
});

const entryBody = z.strictObject({
  kind: z.enum(["note", "meeting", "call"]),
  text: z.string().max(100_000),
  title: z.string().min(1).max(500).optional(),
  at: moment.optional().describe("default: now"),
  by: z.string().min(1).max(200).optional(),
  outcome: z.string().min(1).max(200).optional().describe("of a call"),
  callback: moment.optional().describe("when to call again"),
  isDone: z.boolean().optional().describe("ends the callback of the record"),
});

const tag = z.string().min(1).max(200);
const tagsBody = z.strictObject({
  add: z.array(tag).max(100).default([]),
  remove: z.array(tag).max(100).default([]),
});
const tagsAnswer = z.strictObject({
  target: z.string(),
  slug: z.string(),
  tags: z.array(z.string()),
});

const historyQuery = z.strictObject({
  field: field.optional().describe("a field, or a list: city, email, note"),
  limit: z.int().min(1).max(limitMax).default(100),
});
const historyAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      field: z.string(),
      value: z.unknown().optional().describe("absent: removed"),
      source: z.string(),
      stamp: z.string(),
      node: z.string(),
      target: z.string(),
      isShown: z.boolean(),
    }),
  ),
});

const restoreBody = z.strictObject({ at: moment, field: field.optional() });
const restored = z.strictObject({ target: z.string(), restored: z.array(z.string()) });

const forgotten = z.strictObject({
  target: z.string(),
  isForgotten: z.boolean(),
  here: z
    .strictObject({ files: count, aside: count, datagrams: count })
    .describe("what is left on this machine; zero everywhere: nothing"),
});

const deleted = z.strictObject({
  target: z.string(),
  slug: z.string(),
  fields: count.describe("how many companies it had"),
  before: z.string().describe("restore it with this as `at`, and with its target as the name"),
});

export const recordWriteRoutes = {
  createCompany: route({
    method: "POST",
    path: "/api/companies",
    scope: "companies:write",
    summary: "add a company, or update the one with the same domain",
    status: 201,
    body: z.strictObject({ name, fields: values.optional(), isSeparate: z.boolean().optional(), country }), // prettier-ignore
    answer: created,
    commands: ["company add"],
  }),
  editCompany: route({
    method: "PATCH",
    path: "/api/companies/{name}",
    scope: "companies:write",
    summary: "set or remove fields of a company",
    params: recordName,
    body: editBody,
    answer: edited,
    commands: ["company set", "company unset", "company open"],
    edits: "showCompany",
  }),
  addCompanyEntry: route({
    method: "POST",
    path: "/api/companies/{name}/entries",
    scope: "companies:write",
    summary: "add a note, a meeting or a call",
    status: 201,
    params: recordName,
    body: entryBody,
    answer: entry,
    commands: ["company note", "company meeting", "company call"],
  }),
  tagCompany: route({
    method: "POST",
    path: "/api/companies/{name}/tags",
    scope: "companies:write",
    summary: "add or remove tags",
    params: recordName,
    body: tagsBody,
    answer: tagsAnswer,
    commands: ["company tag"],
  }),
  excludeCompany: route({
    method: "PUT",
    path: "/api/companies/{name}/exclusion",
    scope: "companies:write",
    summary: "exclude a company from campaigns and lists, or include it again",
    params: recordName,
    body: z.strictObject({ reason: z.string().trim().min(1).max(500).nullable() }),
    answer: z.strictObject({
      target: z.string(),
      slug: z.string(),
      excluded: z.string().nullable(),
    }),
    commands: ["company exclude"],
  }),
  companyHistory: route({
    method: "GET",
    path: "/api/companies/{name}/history",
    scope: "companies:read",
    summary: "who wrote what, when and from where, newest first",
    params: recordName,
    query: historyQuery,
    answer: historyAnswer,
    commands: ["company history"],
  }),
  restoreCompany: route({
    method: "POST",
    path: "/api/companies/{name}/restore",
    scope: "companies:write",
    summary: "restore a field, or the whole record, to an earlier state",
    params: recordName,
    body: restoreBody,
    answer: restored,
    commands: ["company restore"],
  }),
  deleteCompany: route({
    method: "POST",
    path: "/api/companies/{name}/delete",
    scope: "companies:write",
    summary:
      "delete a company; its history is kept, so it can be restored; repeat its slug to confirm",
    params: recordName,
    body: z.strictObject({ confirm: name.describe("the slug of the company") }),
    answer: deleted,
    commands: ["company delete"],
  }),
  forgetCompany: route({
    method: "POST",
    path: "/api/companies/{name}/forget",
    scope: "companies:write",
    needsFreshLogin: true,
    summary: "delete a company for good, with its history; repeat its slug to confirm",
    params: recordName,
    body: z.strictObject({ confirm: name.describe("the slug of the company") }),
    answer: forgotten,
    commands: ["company forget"],
  }),
  createPerson: route({
    method: "POST",
    path: "/api/people",
    scope: "companies:write",
    summary: "add a person, also to a company",
    status: 201,
    body: z.strictObject({
      name,
      fields: values.optional(),
      company: name.optional(),
      role: z.string().min(1).max(200).optional(),
      country,
    }),
    answer: created,
    commands: ["person add"],
  }),
  editPerson: route({
    method: "PATCH",
    path: "/api/people/{name}",
    scope: "companies:write",
    summary: "set or remove fields of a person",
    params: recordName,
    body: editBody,
    answer: edited,
    commands: ["person set", "person unset", "person open"],
    edits: "showPerson",
  }),
  addPersonEntry: route({
    method: "POST",
    path: "/api/people/{name}/entries",
    scope: "companies:write",
    summary: "add a note, a meeting or a call",
    status: 201,
    params: recordName,
    body: entryBody,
    answer: entry,
    commands: ["person note", "person meeting", "person call"],
  }),
  tagPerson: route({
    method: "POST",
    path: "/api/people/{name}/tags",
    scope: "companies:write",
    summary: "add or remove tags",
    params: recordName,
    body: tagsBody,
    answer: tagsAnswer,
    commands: ["person tag"],
  }),
  personHistory: route({
    method: "GET",
    path: "/api/people/{name}/history",
    scope: "companies:read",
    summary: "who wrote what, when and from where, newest first",
    params: recordName,
    query: historyQuery,
    answer: historyAnswer,
    commands: ["person history"],
  }),
  restorePerson: route({
    method: "POST",
    path: "/api/people/{name}/restore",
    scope: "companies:write",
    summary: "restore a field, or the whole record, to an earlier state",
    params: recordName,
    body: restoreBody,
    answer: restored,
    commands: ["person restore"],
  }),
  deletePerson: route({
    method: "POST",
    path: "/api/people/{name}/delete",
    scope: "companies:write",
    summary:
      "delete a person; the history is kept, so it can be restored; repeat the slug to confirm",
    params: recordName,
    body: z.strictObject({ confirm: name.describe("the slug of the person") }),
    answer: deleted,
    commands: ["person delete"],
  }),
  forgetPerson: route({
    method: "POST",
    path: "/api/people/{name}/forget",
    scope: "companies:write",
    needsFreshLogin: true,
    summary: "delete a person for good, with the history; repeat the slug to confirm",
    params: recordName,
    body: z.strictObject({ confirm: name.describe("the slug of the person") }),
    answer: forgotten,
    commands: ["person forget"],
  }),
  whoHas: route({
    method: "GET",
    path: "/api/records/usage",
    scope: "companies:read",
    summary: "records with an e-mail address or a domain",
    query: z.strictObject({ address: name }),
    answer: z.strictObject({
      address: z.string(),
      companies: z.array(z.string()),
      people: z.array(z.string()),
      sites: count,
    }),
    commands: ["company who"],
  }),
  listConflicts: route({
    method: "GET",
    path: "/api/records/conflicts",
    scope: "companies:read",
    summary: "writes that lost against another one without having seen it",
    query: z.strictObject({ limit: z.int().min(1).max(limitMax).default(100) }),
    answer: z.strictObject({
      total: count,
      rows: z.array(
        fieldRow.extend({
          target: z.string(),
          shown: z.unknown().optional().describe("what is shown instead"),
        }),
      ),
    }),
    commands: ["ledger conflicts"],
  }),
  restoreConflict: route({
    method: "POST",
    path: "/api/records/conflicts/restore",
    scope: "companies:write",
    summary: "write a value that lost again, so that it is shown",
    body: z.strictObject({
      target: name,
      dot: z.string().regex(/^[0-9a-z]{1,40}\/[0-9a-z]{1,40}\/\d{1,15}$/),
    }),
    answer: z.strictObject({ target: z.string(), restored: z.array(z.string()) }),
    commands: ["ledger restore"],
  }),
  recordProblems: route({
    method: "GET",
    path: "/api/records/problems",
    scope: "companies:read",
    summary: "files of records that cannot be used as they are",
    query: z.strictObject({ limit: z.int().min(1).max(limitMax).default(100) }),
    answer: z.strictObject({
      total: count,
      rows: z.array(
        z.strictObject({
          path: z.string(),
          target: z.string().optional(),
          reason: z.string(),
          foundAt: z.string(),
        }),
      ),
    }),
    commands: ["records check"],
  }),
};
