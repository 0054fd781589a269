import * as z from "zod";
import { recordName, recordReference } from "./record-routes.ts";
import { count, limitMax, name, route, timeMs } from "../route.ts";

const resolving = z.strictObject({
  state: z.enum(["none", "running", "done", "failed"]).describe("none: nobody has begun one"),
  by: z.string(),
  atMs: timeMs.describe("when it began"),
  isDryRun: z.boolean(),
  merged: count.describe("so far; of a dry run: how many would be"),
  left: count.nullable().describe("pairs that a person has to look at; null until it is done"),
  fault: z.string().nullable().describe("why it failed"),
});

/** Routes about which companies are the same and which are not. */
export const recordMergeRoutes = {
  listDuplicates: route({
    method: "GET",
    path: "/api/records/duplicates",
    scope: "companies:read",
    summary: "pairs of list companies that may be the same, sure ones first",
    query: z.strictObject({
      verdict: z.enum(["same", "review"]).optional().describe("absent: both"),
      limit: z.int().min(1).max(limitMax).default(50),
    }),
    answer: z.strictObject({
      rows: z.array(
        z.strictObject({
          verdict: z.enum(["same", "review"]),
          into: recordReference.describe("the one that would stay"),
          from: recordReference,
          evidence: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
    commands: ["company duplicates"],
  }),
  mergeCompany: route({
    method: "POST",
    path: "/api/companies/{name}/merge",
    scope: "companies:write",
    summary: "merge two companies: this one goes, the other stays",
    params: recordName,
    body: z.strictObject({ into: name }),
    answer: z.strictObject({ from: z.string(), into: z.string(), fields: count }),
    commands: ["company merge"],
  }),
  unmergeCompany: route({
    method: "POST",
    path: "/api/companies/{name}/unmerge",
    scope: "companies:write",
    summary: "undo a merge: the company that went is there again, and called distinct",
    params: recordName.describe("the one that went: its old folder, its id, or company/ID"),
    answer: z.strictObject({ from: z.string(), into: z.string(), slug: z.string() }),
    commands: ["company unmerge"],
  }),
  distinctCompanies: route({
    method: "POST",
    path: "/api/companies/{name}/distinct",
    scope: "companies:write",
    summary: "say that two companies are not the same: nobody is asked about them again",
    params: recordName,
    body: z.strictObject({ other: name }),
    answer: z.strictObject({ one: z.string(), other: z.string() }),
    commands: ["company distinct"],
  }),
  resolveCompanies: route({
    method: "POST",
    path: "/api/records/resolve",
    scope: "companies:write",
    summary: "begin to merge all companies that are surely the same; isDryRun: only count them",
    status: 202,
    body: z.strictObject({ isDryRun: z.boolean().default(false) }),
    answer: resolving,
    commands: ["company resolve"],
  }),
  showResolve: route({
    method: "GET",
    path: "/api/records/resolve",
    scope: "companies:read",
    summary: "how far the last merge of all companies is that was begun at this server",
    answer: resolving,
  }),
};
