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
  done: count.describe("items of the selection that were processed"),
  changed: count,
  canUndo: z.boolean(),
  fault: z.string().nullable().describe("why it failed; null: it has not failed"),
});

const selection = z.strictObject({
  id: z.string(),
  count,
  isComplete: z.boolean().describe("false: more matched than a selection can have"),
  samples: z.array(z.string()).describe("the first five"),
  atMs: timeMs,
  expiresAtMs: timeMs.describe("unless it is used before then"),
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
    summary: "a selection of companies, and the progress of its actions",
    params: selectionId,
    answer: selection,
  }),
  tagSelection: route({
    ...of("/api/selections/companies/{id}/tag"),
    scope: "companies:write",
    summary: "add tags to all companies of a selection, or remove them",
    body: z.strictObject({ ...confirmed, add: tags.default([]), remove: tags.default([]) }),
  }),
  excludeSelection: route({
    ...of("/api/selections/companies/{id}/exclude"),
    scope: "companies:write",
    summary: "exclude all companies of a selection from campaigns and lists, or include them again",
    body: z.strictObject({
      ...confirmed,
      reason: z.string().trim().min(1).max(500).nullable().describe("null: include them again"),
    }),
  }),
  undoCompanySelection: route({
    ...of("/api/selections/companies/{id}/undo"),
    scope: "companies:write",
    summary: "undo the last action of a selection: restore the previous values",
    body: z.strictObject({}),
  }),
  stopCompanySelection: route({
    ...of("/api/selections/companies/{id}/stop"),
    scope: "companies:write",
    summary: "stop the running action; its changes so far are kept",
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
    summary: "the last selections of tasks with their actions, newest first",
    answer: z.strictObject({ rows: z.array(selection) }),
  }),
  showTaskSelection: route({
    method: "GET",
    path: "/api/selections/tasks/{id}",
    scope: "queue:read",
    summary: "a selection of tasks, and the progress of its actions",
    params: selectionId,
    answer: selection,
  }),
  retrySelection: route({
    ...of("/api/selections/tasks/{id}/retry"),
    scope: "queue:write",
    summary: "retry the failed and skipped tasks of a selection",
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
    summary: "stop the running action; its changes so far are kept",
  }),
};
