/** Answers about nodes, commands and logs. */
import { sampleStatus } from "./fixture-data.ts";

const nowMs = sampleStatus.atMs;

const answer = (node: string, label: string, afterMs: number | null, what = "state=paused") => ({
  node,
  label,
  status: afterMs === null ? ("waiting" as const) : ("followed" as const),
  afterMs,
  what: afterMs === null ? "" : what,
});

export const sampleCommand = {
  revision: 7,
  scope: "all",
  what: ["pause"],
  by: "hand:anna",
  atMs: nowMs - 90_000,
  state: "settled",
  nodes: [answer("n1", "laptop", 40), answer("n2", "pi-2", 1_210), answer("n3", "pi-3", 2_380)],
  notice: null,
};

const sampleCommands = [
  sampleCommand,
  { ...sampleCommand, revision: 6, scope: "n3", what: ["workers.enrich=8"], atMs: nowMs - 3_600_000, nodes: [answer("n3", "pi-3", 900, "workers.enrich=8")] }, // prettier-ignore
];

const line = (ageMs: number, level: string, msg: string, fields: object = {}) =>
  JSON.stringify({ level, time: new Date(nowMs - ageMs).toISOString(), msg, ...fields });

export const sampleLog = [
  line(64_000, "info", "workers started", { pid: 4_711, kinds: ["discover", "details", "enrich"] }),
  line(61_000, "info", "concurrency decided", { worker: "enrich-1", decision: "scale_up", reason: "backlog", concurrency: 6, before: 4 }), // prettier-ignore
  line(42_000, "info", "task completed", { task: 90_113, kind: "enrich", ms: 812 }),
  line(31_000, "warn", "host asks to wait", { gate: "pecan-street.example", retryAfterMs: 30_000 }),
  line(12_000, "info", "concurrency decided", { worker: "enrich-1", decision: "scale_down", reason: "event_loop_lag", concurrency: 3, before: 6 }), // prettier-ignore
  line(4_000, "error", "visit failed", { task: 90_121, error: { name: "Error", message: "connect ECONNREFUSED" } }), // prettier-ignore
];

export const fleetAnswers: Readonly<Record<string, unknown>> = {
  "/api/fleet/commands": { rows: sampleCommands },
  "/api/fleet/commands/7": sampleCommand,
  "/api/logs/follow": { untilMs: nowMs + 120_000 },
  "/api/logs": { node: "n1", lines: sampleLog },
};
