import * as z from "zod";
import { recordName, recordReference } from "./record-routes.ts";
import { count, limitMax, name, route, timeMs } from "../route.ts";

const resolving = z.strictObject({
  state: z.enum(["none", "running", "done", "failed"]).describe("none: none was started"),
  by: z.string(),
  atMs: timeMs.describe("when it began"),
  isDryRun: z.boolean(),
  merged: count.describe("merged so far; of a dry run: how many would be merged"),
  left: count.nullable().describe("pairs that need a decision; null until it is done"),
  fault: z.string().nullable().describe("why it failed"),
});

/** Routes about which companies are the same and which are not. */
export const recordMergeRoutes = {
  listDuplicates: route({
    method: "GET",
    path: "/api/records/duplicates",
    scope: "companies:read",
    summary: "pairs of listed companies that may be the same, certain ones first",
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
    summary: "merge two companies: this one is removed, the other stays",
    params: recordName,
    body: z.strictObject({ into: name }),
    answer: z.strictObject({ from: z.string(), into: z.string(), fields: count }),
    commands: ["company merge"],
  }),
  unmergeCompany: route({
    method: "POST",
    path: "/api/companies/{name}/unmerge",
    scope: "companies:write",
    summary: "undo a merge: restore the removed company, and mark the two as distinct",
    params: recordName.describe("the removed one: its old folder, its id, or company/ID"),
    answer: z.strictObject({ from: z.string(), into: z.string(), slug: z.string() }),
    commands: ["company unmerge"],
  }),
  distinctCompanies: route({
    method: "POST",
    path: "/api/companies/{name}/distinct",
    scope: "companies:write",
    summary: "mark two companies as distinct: they are not suggested as duplicates again",
    params: recordName,
    body: z.strictObject({ other: name }),
    answer: z.strictObject({ one: z.string(), other: z.string() }),
    commands: ["company distinct"],
  }),
  resolveCompanies: route({
    method: "POST",
    path: "/api/records/resolve",
    scope: "companies:write",
    summary: "start to merge all companies that are certainly the same; isDryRun: only count them",
    status: 202,
    body: z.strictObject({ isDryRun: z.boolean().default(false) }),
    answer: resolving,
    commands: ["company resolve"],
  }),
  showResolve: route({
    method: "GET",
    path: "/api/records/resolve",
    scope: "companies:read",
    summary: "progress of the last merge of all companies that this server started",
    answer: resolving,
  }),
};
