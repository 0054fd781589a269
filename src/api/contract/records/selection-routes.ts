import * as z from "zod";
import { taskFilter } from "../queue-routes.ts";
import { companyFilter } from "./record-routes.ts";
import { count, name, route, timeMs } from "../route.ts";

const selectionId = z.strictObject({ id: name });

const bulkAction = z.strictObject({
  action: z.string(),
  by: z.string(),
  atMs: timeMs,
  state: z.enum(["running", "done", "stopped", "failed"]),
  done: count.describe("how many of the selection it has been through"),
  changed: count,
  canUndo: z.boolean(),
  fault: z.string().nullable().describe("why it failed; null: it has not"),
});

const selection = z.strictObject({
  id: z.string(),
  count,
  isComplete: z.boolean().describe("false: more matched than a selection can have"),
  samples: z.array(z.string()).describe("the first five"),
  atMs: timeMs,
  expiresAtMs: timeMs.describe("unless it is used before"),
  actions: z.array(bulkAction).describe("newest last"),
});

/** The number of items that the user saw before confirming. */
const confirmed = { count: count.describe("the count of the selection again") };
const confirmation = z.strictObject(confirmed);
const tags = z.array(z.string().trim().min(1).max(200)).max(100);

const of = <const P extends `/api/selections/${string}`>(path: P) => ({ method: "POST", path, params: selectionId, status: 202, answer: selection }) as const; // prettier-ignore

export const selectionRoutes = {
  selectCompanies: route({
    method: "POST",
    path: "/api/selections/companies",
    scope: "companies:read",
    summary: "remember the companies that match now, at most 100,000, for bulk actions",
    status: 201,
    body: z.strictObject(companyFilter),
    answer: selection,
  }),
  showCompanySelection: route({
    method: "GET",
    path: "/api/selections/companies/{id}",
    scope: "companies:read",
    summary: "a selection of companies, and how far its actions are",
    params: selectionId,
    answer: selection,
  }),
  tagSelection: route({
    ...of("/api/selections/companies/{id}/tag"),
    scope: "companies:write",
    summary: "put tags on all companies of a selection, or take them off",
    body: z.strictObject({ ...confirmed, add: tags.default([]), remove: tags.default([]) }),
  }),
  excludeSelection: route({
    ...of("/api/selections/companies/{id}/exclude"),
    scope: "companies:write",
    summary: "leave all companies of a selection out of campaigns and lists, or take them in again",
    body: z.strictObject({
      ...confirmed,
      reason: z.string().trim().min(1).max(500).nullable().describe("null: take them in again"),
    }),
  }),
  undoCompanySelection: route({
    ...of("/api/selections/companies/{id}/undo"),
    scope: "companies:write",
    summary: "write the former values again that the last action of a selection has changed",
    body: z.strictObject({}),
  }),
  stopCompanySelection: route({
    ...of("/api/selections/companies/{id}/stop"),
    scope: "companies:write",
    summary: "end the action that runs; what it has done stays",
  }),
  selectTasks: route({
    method: "POST",
    path: "/api/selections/tasks",
    scope: "queue:read",
    summary: "remember the tasks that match now, at most 100,000, for bulk actions",
    status: 201,
    body: z.strictObject(taskFilter),
    answer: selection,
  }),
  listTaskSelections: route({
    method: "GET",
    path: "/api/selections/tasks",
    scope: "queue:read",
    summary: "the last selections of tasks, and what was done with them; newest first",
    answer: z.strictObject({ rows: z.array(selection) }),
  }),
  showTaskSelection: route({
    method: "GET",
    path: "/api/selections/tasks/{id}",
    scope: "queue:read",
    summary: "a selection of tasks, and how far its actions are",
    params: selectionId,
    answer: selection,
  }),
  retrySelection: route({
    ...of("/api/selections/tasks/{id}/retry"),
    scope: "queue:write",
    summary: "try the failed and skipped tasks of a selection again",
    body: confirmation,
  }),
  purgeSelection: route({
    ...of("/api/selections/tasks/{id}/purge"),
    scope: "queue:write",
    summary: "delete the finished tasks of a selection",
    body: confirmation,
  }),
  stopTaskSelection: route({
    ...of("/api/selections/tasks/{id}/stop"),
    scope: "queue:write",
    summary: "end the action that runs; what it has done stays",
  }),
};
