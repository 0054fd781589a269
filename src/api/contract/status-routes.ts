import * as z from "zod";
import { kindStats, logStats, reasonStats, stateCounts } from "./queue-routes.ts";
import { count, name, route, timeMs } from "./route.ts";

const size = z.strictObject({ total: count, free: count });

/** A heartbeat as the node sent it. */
const beat = z.strictObject({
  atMs: timeMs,
  label: z.string(),
  version: z.string(),
  state: z.enum(["working", "paused", "drained", "idle", "stopped"]),
  config: z.string().optional(),
  load1: z.number(),
  memoryBytes: size,
  diskBytes: size.optional(),
  temperatureC: z.number().optional(),
  kinds: z
    .record(z.string(), z.tuple([count, count]))
    .describe("by kind: the maximum number of concurrent tasks, and how many are running"),
  clockOffsetMs: z.number().optional(),
  peers: count,
  alerts: z.array(z.string()),
  followed: z
    .strictObject({
      revision: count,
      atMs: timeMs,
      isApplied: z.boolean(),
      what: z.string(),
    })
    .optional(),
  hub: z
    .strictObject({
      state: z.enum(["able", "unable", "never", "unknown"]),
      why: z.string().optional(),
    })
    .optional(),
  knows: z.strictObject({ checkpoint: count, beyond: z.record(z.string(), count) }).optional(),
});

const drift = z.strictObject({
  missingHere: count,
  missingThere: count.optional().describe("absent: not known"),
  seconds: count,
});

export const nodeRow = z.strictObject({
  node: z.string(),
  label: z.string(),
  isSelf: z.boolean(),
  lastSeenMs: timeMs.nullable(),
  agoMs: z.number().nullable(),
  isPresent: z.boolean(),
  session: z.string().nullable(),
  addresses: z.array(z.string()),
  how: z.string(),
  rttMs: z.number().nullable(),
  beat: beat.nullable(),
  drift: drift.nullable(),
  lacks: z
    .array(z.strictObject({ of: z.string(), datagrams: count }))
    .nullable()
    .describe("datagrams of other nodes that this node lacks; null: not known"),
});

const ledger = z.strictObject({
  node: z.string(),
  label: z.string(),
  checkpoint: count,
  sessions: count,
  datagramsSinceCheckpoint: count,
  unpublished: count,
  quarantined: count,
  clockOffsetMs: z.number().optional(),
  highWater: z.string(),
  cuts: count,
  stranded: count,
  lost: count,
  lostCheckpoint: z.number().nullable(),
  faults: z.array(z.string()),
  conflicts: count,
});

export const statusAnswer = z.strictObject({
  atMs: timeMs,
  version: z.string().describe("of the server's program"),
  ledger,
  nodes: z.array(nodeRow),
  hub: z
    .strictObject({ node: z.string(), epoch: count, state: z.string(), ageMs: z.number() })
    .nullable(),
  hubGap: z
    .strictObject({ code: z.enum(["none_for_a_day", "no_rights"]), text: z.string() })
    .nullable(),
  checkpoint: z
    .strictObject({ number: count, madeAtMs: timeMs, ageMs: z.number(), quarantined: count })
    .nullable(),
  queue: z
    .strictObject({
      address: z.string(),
      states: stateCounts,
      reasons: z.array(reasonStats),
      kinds: z.array(kindStats),
      log: logStats,
      keep: z.strictObject({ doneDays: count, failedDays: count, keysDays: count }),
    })
    .nullable(),
  gossip: z
    .strictObject({
      packetsIn: count,
      packetsOut: count,
      droppedByReason: z.record(z.string(), count),
    })
    .nullable(),
  gossipKey: z.enum(["settings", "own", "off"]),
  attention: z.array(z.string()).describe("what needs attention; empty: nothing"),
  problems: z
    .array(z.strictObject({ name: z.string(), subject: z.string(), text: z.string() }))
    .describe("the problems that have a page in the runbook, by name"),
});

const runbookPage = z.strictObject({
  name: z.string(),
  title: z.string(),
  meaning: z.string(),
  text: z.string().describe("the page, in Markdown"),
});

export const statusRoutes = {
  listRunbook: route({
    method: "GET",
    path: "/api/runbook",
    scope: "status:read",
    summary: "every problem that has a page in the runbook",
    answer: z.strictObject({ rows: z.array(runbookPage) }),
    commands: ["runbook"],
  }),
  showRunbook: route({
    method: "GET",
    path: "/api/runbook/{name}",
    scope: "status:read",
    summary: "what a problem means, and what to do",
    params: z.strictObject({ name }),
    answer: runbookPage,
    commands: ["runbook"],
  }),
  status: route({
    method: "GET",
    path: "/api/status",
    scope: "status:read",
    summary: "this node, or all nodes of its fleet, and what needs attention",
    query: z.strictObject({
      cluster: z
        .boolean()
        .default(false)
        .describe("all nodes of the fleet; asks the bucket, if there is one"),
    }),
    answer: statusAnswer,
    commands: ["status", "node show", "node list"],
  }),
  history: route({
    method: "GET",
    path: "/api/history",
    scope: "status:read",
    summary: "metrics of this node over time: of the last day by minute, of 30 days by hour",
    query: z.strictObject({ by: z.enum(["minute", "hour"]).default("minute") }),
    answer: z.strictObject({
      stepMs: count,
      times: z.array(timeMs),
      series: z
        .record(z.string(), z.array(z.number().nullable()))
        .describe("by name: one value for each time; null: not known"),
    }),
  }),
};
