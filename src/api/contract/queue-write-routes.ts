import * as z from "zod";
import { gateRow, jobRow } from "./queue-routes.ts";
import { count, limitMax, moment, name, pageCursor, pageOf, route, timeMs } from "./route.ts";

const jobName = z.strictObject({ job: name });
const gateName = z.strictObject({ gate: name });

const newTask = z.strictObject({
  kind: name,
  payload: z.unknown().optional(),
  job: name.optional(),
  gate: z.string().max(500).optional(),
  key: name.optional().describe("without a key, the task is never a duplicate"),
  priority: z.int().min(0).max(1000).optional(),
  delayMs: z.int().min(0).max(10_000_000_000).optional(),
  attemptsMax: z.int().min(1).max(1000).optional(),
});

const terminal = z.enum(["done", "skipped", "failed"]);
export const finishedFilter = {
  kind: name.optional(),
  job: name.optional(),
  gate: z.string().max(500).optional(),
  ids: z.array(z.int().min(1)).max(1_000).optional(),
  olderThanMs: z.int().min(0).max(1e13).optional().describe("finished at least so long ago"),
};

const logRow = z.strictObject({
  id: z.int().min(1),
  kind: z.string(),
  job: z.string(),
  gate: z.string(),
  key: z.string(),
  state: terminal,
  createdAtMs: timeMs,
  finishedAtMs: timeMs,
  used: count,
  attemptsMax: count,
  attempts: z.array(
    z.strictObject({
      token: z.number(),
      atMs: timeMs,
      outcome: z.string(),
      reason: z.string(),
      stack: z.string().optional(),
    }),
  ),
});

const changed = z.strictObject({ changed: count });

export const queueWriteRoutes = {
  addTasks: route({
    method: "POST",
    path: "/api/queue/tasks",
    scope: "queue:write",
    summary: "add tasks; one whose job, gate and key are known is a duplicate",
    status: 201,
    body: z.strictObject({ tasks: z.array(newTask).min(1).max(1_000) }),
    answer: z.strictObject({
      rows: z.array(z.strictObject({ status: z.string(), id: z.number().optional() })),
    }),
    commands: ["queue add", "queue import", "crawl", "enrich"],
  }),
  raiseTask: route({
    method: "POST",
    path: "/api/queue/tasks/{id}/raise",
    scope: "queue:write",
    summary: "make a pending task run sooner: a higher priority, or due at once",
    params: z.strictObject({ id: z.int().min(1) }),
    body: z.strictObject({
      priority: z.int().min(0).max(1000).default(0).describe("0 to 1000; a lower one changes nothing"), // prettier-ignore
      isDueNow: z.boolean().default(false).describe("do not wait until it is due"),
    }),
    answer: z.strictObject({
      isChanged: z.boolean().describe("false: it is not pending, or nothing would change"),
    }),
    commands: ["queue raise"],
  }),
  setJob: route({
    method: "PUT",
    path: "/api/queue/jobs/{job}",
    scope: "queue:write",
    summary: "open a job or replace its limits; one that is left out is cleared",
    params: jobName,
    body: z.strictObject({
      concurrency: z.int().min(1).max(1_000_000).optional(),
      budget: z.int().min(1).max(1e12).optional(),
      gate: name.optional(),
    }),
    answer: jobRow,
    commands: ["queue job"],
    edits: "showJob",
  }),
  pauseJob: route({
    method: "POST",
    path: "/api/queue/jobs/{job}/pause",
    scope: "queue:write",
    summary: "pause a job: start no more of its tasks",
    params: jobName,
    answer: jobRow,
    commands: ["queue pause"],
  }),
  resumeJob: route({
    method: "POST",
    path: "/api/queue/jobs/{job}/resume",
    scope: "queue:write",
    summary: "resume a paused job",
    params: jobName,
    answer: jobRow,
    commands: ["queue resume"],
  }),
  sealJob: route({
    method: "POST",
    path: "/api/queue/jobs/{job}/seal",
    scope: "queue:write",
    summary: "seal a job: it accepts no more tasks and can complete",
    params: jobName,
    answer: jobRow,
    commands: ["queue seal"],
  }),
  cancelJob: route({
    method: "POST",
    path: "/api/queue/jobs/{job}/cancel",
    scope: "queue:write",
    summary: "end a job and skip its remaining tasks; repeat its name to confirm",
    params: jobName,
    body: z.strictObject({ confirm: name }),
    answer: jobRow,
    commands: ["queue cancel"],
  }),
  setGate: route({
    method: "PUT",
    path: "/api/queue/gates/{gate}",
    scope: "queue:write",
    summary: "set the delay and the limit of a gate, or block it for a time",
    params: gateName,
    body: z.strictObject({
      delayMs: z.int().min(0).max(86_400_000).optional(),
      limit: z.int().min(1).max(10_000).optional(),
      blockForMs: z.int().min(0).max(1e10).optional().describe("0 removes a block"),
    }),
    answer: gateRow,
    commands: ["queue gate"],
    edits: "showGate",
  }),
  retryTasks: route({
    method: "POST",
    path: "/api/queue/retry",
    scope: "queue:write",
    summary: "make failed or skipped tasks pending again",
    body: z.strictObject({
      state: z
        .array(z.enum(["failed", "skipped"]))
        .min(1)
        .max(2)
        .default(["failed"]),
      ...finishedFilter,
    }),
    answer: changed,
    commands: ["queue retry"],
  }),
  purgeTasks: route({
    method: "POST",
    path: "/api/queue/purge",
    scope: "queue:write",
    summary: "move finished tasks into the log and free their keys",
    body: z.strictObject({ state: z.array(terminal).min(1).max(3), ...finishedFilter }),
    answer: changed,
    commands: ["queue purge"],
  }),
  queueLog: route({
    method: "GET",
    path: "/api/queue/log",
    scope: "queue:read",
    summary: "finished tasks in the order in which they ended, also archived ones",
    query: z.strictObject({
      state: z.array(terminal).max(3).optional(),
      kind: name.optional(),
      job: name.optional(),
      gate: z.string().max(500).optional(),
      isNewestFirst: z.boolean().default(true),
      after: pageCursor.optional(),
      limit: z.int().min(1).max(limitMax).default(100),
    }),
    answer: pageOf(logRow),
    commands: ["queue log"],
  }),
  pruneLog: route({
    method: "POST",
    path: "/api/queue/log/prune",
    scope: "queue:write",
    summary: "remove log entries of tasks that finished before a moment",
    body: z.strictObject({ before: moment }),
    answer: changed,
    commands: ["queue log"],
  }),
  reconcileQueue: route({
    method: "POST",
    path: "/api/queue/reconcile",
    scope: "queue:write",
    summary: "check the counters against the tasks, and repair them if asked to",
    body: z.strictObject({ repair: z.boolean().default(false) }),
    answer: z.strictObject({
      drift: z.array(
        z.strictObject({ counter: z.string(), counted: z.number(), actual: z.number() }),
      ),
      orphans: count,
      repaired: z.boolean(),
    }),
    commands: ["queue reconcile"],
  }),
};
