import * as z from "zod";
import { moment, name, pageCursor, pageLimit, pageOf, route } from "./route.ts";

const result = z.enum(["ok", "denied", "failed"]);

const filter = {
  who: name.optional(),
  what: name.optional().describe("prefix of the name of the route or command"),
  result: result.optional(),
  since: moment.optional(),
  until: moment.optional().describe("exclusive: entries at this moment are left out"),
};

const entry = z.strictObject({
  at: z.string(),
  who: z.string().describe("empty: the caller was not signed in"),
  by: z.string().describe("session, token, loopback, command or request"),
  from: z.string().nullable().describe("network address; null: a command on the machine"),
  what: z.string().describe("the name of a route, or a command"),
  target: z.string(),
  asked: z
    .string()
    .nullable()
    .describe(
      "body or query of the request, or flags of the command: JSON without secrets, cut if it is long",
    ),
  before: z.string().nullable().describe("the fields that changed, as they were"),
  after: z.string().nullable().describe("the same fields afterwards, or what was answered"),
  result,
  detail: z.string(),
  requestId: z.string().nullable(),
});

export const auditLogRoutes = {
  listAuditLog: route({
    method: "GET",
    path: "/api/audit-log",
    scope: "audit:read",
    summary: "logins, refusals, changes and exports, newest first",
    query: z.strictObject({ ...filter, after: pageCursor.optional(), limit: pageLimit }),
    answer: pageOf(entry),
    commands: ["audit-log list"],
  }),
  exportAuditLog: route({
    method: "GET",
    path: "/api/audit-log/export",
    scope: "audit:read",
    summary: "the audit log as a file, one line of JSON for each entry, newest first",
    query: z.strictObject(filter),
    sends: "file",
    answer: z.string(),
    commands: ["audit-log export"],
  }),
};
