import * as z from "zod";
import { count, limitMax, name, route, timeMs } from "./route.ts";

const applied = z.strictObject({
  revision: count,
  atMs: timeMs,
  isApplied: z.boolean(),
  what: z.string(),
});

const follower = z.strictObject({
  node: z.string(),
  label: z.string(),
  isPresent: z.boolean(),
  state: z.string().nullable().describe("working, paused, drained, idle or stopped"),
  applied: applied.nullable().describe("the last revision that it applied"),
});

const desiredEntry = z.strictObject({
  scope: z.string().describe("all, or the id of a node"),
  key: z.string(),
  value: z.unknown().optional().describe("null: the settings of the node apply"),
  revision: count,
  by: z.string(),
  atMs: timeMs,
});

/** A command and the response of each node. It never shows what was requested as if it was done. */
export const fleetCommand = z.strictObject({
  revision: count,
  scope: z.string(),
  what: z.array(z.string()),
  by: z.string(),
  atMs: timeMs,
  state: z
    .enum(["pending", "settled", "partial"])
    .describe("partial: after 15 s some online node has not applied it, or has failed"),
  nodes: z.array(
    z.strictObject({
      node: z.string(),
      label: z.string(),
      status: z.enum(["followed", "failed", "waiting", "away"]),
      afterMs: z.number().nullable().describe("by the clock of the node"),
      what: z.string(),
    }),
  ),
  notice: z.string().nullable().describe("why some nodes receive it later"),
});

const usageRow = z.strictObject({
  day: z.string(),
  caller: z.string(),
  operation: z.string(),
  requests: count,
  dollars: z.number(),
});

export const fleetRoutes = {
  showFleet: route({
    method: "GET",
    path: "/api/fleet",
    scope: "fleet:read",
    summary: "the desired state of nodes, who set it, and which nodes have applied it",
    answer: z.strictObject({
      revision: count,
      entries: z.array(desiredEntry),
      nodes: z.array(follower),
      faults: z.array(z.string()),
      notice: z.string().nullable(),
    }),
    commands: ["fleet show", "node list"],
  }),
  giveCommand: route({
    method: "POST",
    path: "/api/fleet/commands",
    scope: "fleet:command",
    summary: "pause, resume, drain or scale nodes, or change a campaign field, until set again",
    status: 202,
    body: z.strictObject({
      node: name.describe("name or id of a node, or all"),
      what: z
        .array(z.string().min(1).max(2_000))
        .min(1)
        .max(20)
        .describe("pause, resume, drain, workers.KIND=COUNT, campaign.NAME.FIELD=VALUE"),
    }),
    answer: fleetCommand,
    commands: ["fleet set"],
  }),
  listCommands: route({
    method: "GET",
    path: "/api/fleet/commands",
    scope: "fleet:read",
    summary: "commands that are still in effect, and those given through this server, newest first",
    query: z.strictObject({ limit: z.int().min(1).max(limitMax).default(50) }),
    answer: z.strictObject({ rows: z.array(fleetCommand) }),
  }),
  showCommand: route({
    method: "GET",
    path: "/api/fleet/commands/{revision}",
    scope: "fleet:read",
    summary: "one command, with the response time of each node",
    params: z.strictObject({ revision: z.int().min(1) }),
    answer: fleetCommand,
    commands: ["fleet set"],
  }),
  undoCommand: route({
    method: "POST",
    path: "/api/fleet/commands/{revision}/undo",
    scope: "fleet:command",
    summary: "restore the former values with a new command",
    status: 202,
    params: z.strictObject({ revision: z.int().min(1) }),
    answer: fleetCommand,
  }),
  bucketUsage: route({
    method: "GET",
    path: "/api/bucket/usage",
    scope: "fleet:read",
    summary: "requests to buckets and what they cost, by day, of this data folder",
    query: z.strictObject({ days: z.int().min(1).max(400).default(30) }),
    answer: z.strictObject({
      since: z.string(),
      requests: count,
      dollars: z.number(),
      rows: z.array(usageRow),
    }),
    commands: ["bucket usage"],
  }),
  readLogs: route({
    method: "GET",
    path: "/api/logs",
    scope: "fleet:read",
    summary: "the last log lines of a node, oldest first",
    query: z.strictObject({
      node: name.optional().describe("name or id; default: this one"),
      lines: z.int().min(1).max(2_000).default(100),
      text: name.optional().describe("only lines that contain it"),
    }),
    answer: z.strictObject({
      node: z.string(),
      lines: z.array(z.string().describe("JSON text, as it was written")),
    }),
    commands: ["logs"],
  }),
  followLogs: route({
    method: "POST",
    path: "/api/logs/follow",
    scope: "fleet:read",
    summary: "let a node send its log lines every two seconds for two minutes, not once a minute",
    body: z.strictObject({ node: name.describe("name or id") }),
    answer: z.strictObject({ untilMs: timeMs }),
    commands: ["logs"],
  }),
  showSettings: route({
    method: "GET",
    path: "/api/settings",
    scope: "fleet:read",
    summary: "every setting with its value and its source; secrets are hidden",
    answer: z.strictObject({
      rows: z.array(z.strictObject({ key: z.string(), value: z.string(), source: z.string() })),
    }),
    commands: ["config show"],
  }),
};
