import * as z from "zod";
import { moment, name, pageLimit, route } from "./route.ts";

const result = z.enum(["ok", "denied", "failed"]);

export const auditLogRoutes = {
  listAuditLog: route({
    method: "GET",
    path: "/api/audit-log",
    scope: "audit:read",
    summary: "logins, refusals, changes and exports, newest first",
    query: z.strictObject({
      who: name.optional(),
      what: name.optional().describe("how the name of the route or command begins"),
      result: result.optional(),
      since: moment.optional(),
      limit: pageLimit,
    }),
    answer: z.strictObject({
      rows: z.array(
        z.strictObject({
          at: z.string(),
          who: z.string().describe("empty: nobody had signed in"),
          by: z.string().describe("session, token, loopback, command or request"),
          from: z.string().nullable().describe("network address; null: at the machine"),
          what: z.string().describe("the name of a route, or a command"),
          target: z.string(),
          before: z.string().nullable().describe("JSON without secrets, cut if it is long"),
          after: z.string().nullable(),
          result,
          detail: z.string(),
          requestId: z.string().nullable(),
        }),
      ),
    }),
    commands: ["audit-log list", "audit-log export"],
  }),
};
