/** Answers about schedules, the audit log, deliveries, users and settings. */
import { sampleStatus } from "./fixture-data.ts";

const at = (ageMs: number) => new Date(sampleStatus.atMs - ageMs).toISOString();
const hour = 3_600_000;
const day = 24 * hour;

const run = (ageMs: number, state: string, reason: string | null = null) => ({ occurrence: at(ageMs), isRunNow: false, state, endedAt: at(ageMs - 60_000), reason }); // prettier-ignore
const schedule = {
  name: "austin-weekly",
  timing: { cron: "0 6 * * 1", timezone: "America/Chicago" },
  action: { kind: "gather", campaign: "austin-flooring" },
  missed: "latest",
  withinMs: hour,
  overlap: "skip",
  isPaused: false,
  since: at(90 * day),
  next: [at(-6 * day), at(-13 * day), at(-20 * day)],
  last: run(day, "done"),
};
const schedules = [
  schedule,
  { ...schedule, name: "crm-export", timing: { everyMs: day, fromMs: 0 }, action: { kind: "export", campaign: "austin-flooring", format: "csv", onlyNew: "crm" }, next: [at(-8 * hour)], last: run(16 * hour, "failed", "the bucket cannot be reached") }, // prettier-ignore
  { ...schedule, name: "upkeep", timing: { cron: "30 2 * * *", timezone: "UTC" }, action: { kind: "compact" }, isPaused: true, last: null }, // prettier-ignore
];

const entry = (ageMs: number, who: string, what: string, more: object = {}) => ({ at: at(ageMs), who, by: "session", from: "10.0.0.7", what, target: "", before: null, after: null, result: "ok", detail: "", requestId: "r1", ...more }); // prettier-ignore
const audit = [
  entry(90_000, "anna", "giveCommand", { target: "all", after: '{"what":["pause"]}' }),
  entry(300_000, "bob", "giveCommand", { result: "denied", detail: "needs fleet:command" }),
  entry(600_000, "", "login", { by: "request", result: "denied", detail: "wrong name or password" }), // prettier-ignore
  entry(hour, "anna", "setRecordFields", { target: "capital-hardwood-floors", before: '{"phone":"+15125550100"}', after: '{"phone":"+15125550199"}' }), // prettier-ignore
  entry(2 * hour, "anna", "campaign edit", { by: "command", from: null, target: "austin-flooring" }), // prettier-ignore
];

const delivery = (id: number, state: string, type: string, answer: string | null) => ({ id, endpoint: "wh_crm", event: `msg_${id}`, type, state, attempts: state === "failed" ? 12 : 1, addedAt: at(id * 60_000), endedAt: state === "pending" ? null : at(id * 50_000), answer }); // prettier-ignore
const user = (name: string, role: string, more: object = {}) => ({ name, role, hasPassword: true, linkUntil: null, createdAt: at(30 * day), createdBy: "operator", ...more }); // prettier-ignore
const session = (id: string, who: string, more: object = {}) => ({ id, user: who, role: "viewer", by: "password", address: "10.0.0.7", agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0", startedAt: at(5 * hour), usedAt: at(120_000), isOwn: false, ...more }); // prettier-ignore
const webhook = { id: "wh_crm", url: "https://crm.example/…", events: [], createdAt: at(20 * day), disabled: null, secrets: 1 }; // prettier-ignore

export const settingsAnswers: Readonly<Record<string, unknown>> = {
  "/api/fleet": {
    revision: 7,
    entries: [
      { scope: "all", key: "state", value: "paused", revision: 7, by: "hand:anna", atMs: sampleStatus.atMs - 90_000 }, // prettier-ignore
      { scope: "n3", key: "workers.enrich", value: 8, revision: 6, by: "hand:anna", atMs: sampleStatus.atMs - hour }, // prettier-ignore
    ],
    nodes: sampleStatus.nodes.map(({ node, label }) => ({ node, label, isPresent: true, state: "working", applied: null })), // prettier-ignore
    faults: [],
    notice: null,
  },
  "/api/runbook": {
    rows: [{ name: "failed_tasks", title: "Tasks failed", meaning: "Tasks ran out of attempts.", text: "# Tasks failed\n\nTasks ran out of attempts.\n\n## See it\n\n- `forager queue list --state failed`: which ones, and why.\n" }], // prettier-ignore
  },
  "/api/schedules": { rows: schedules },
  "/api/schedules/austin-weekly": { ...schedule, result: null, runs: [run(day, "done"), run(8 * day, "skipped", "the run before had not ended"), run(15 * day, "done")] }, // prettier-ignore
  "/api/audit-log": { rows: audit },
  "/api/deliveries": {
    rows: [
      delivery(4, "pending", "export.ready", null),
      delivery(3, "done", "campaign.finished", "204"),
      delivery(2, "failed", "campaign.finished", "500 Internal Server Error"),
    ],
  },
  "/api/users": {
    rows: [
      user("anna", "admin"),
      user("bob", "viewer"),
      user("carla", "operator", { hasPassword: false, linkUntil: at(-20 * hour), createdAt: at(4 * hour), createdBy: "anna" }), // prettier-ignore
    ],
  },
  "/api/sessions": {
    rows: [
      session("s1", "operator", { role: null, by: "link", address: "127.0.0.1", isOwn: true, usedAt: at(0) }), // prettier-ignore
      session("s2", "bob"),
    ],
  },
  "/api/tokens": {
    rows: [
      { id: "t1", name: "crm-sync", user: null, scopes: ["companies:read", "exports:read"], createdAt: at(9 * day), createdBy: "anna", expiresAt: at(-81 * day), usedAt: at(hour) }, // prettier-ignore
    ],
  },
  "/api/webhooks": {
    rows: [
      webhook,
      { ...webhook, id: "wh_old", url: "https://old.example/…", events: ["campaign.finished"], disabled: { at: at(day), reason: "the receiver answered 410" } }, // prettier-ignore
    ],
  },
  "/api/suppressions": {
    rows: [
      {
        id: "9f2c41d0",
        kind: "email",
        at: at(3 * day),
        source: "hand:anna",
        reason: "asked by mail",
      },
      { id: "01ab77e2", kind: "domain", at: at(40 * day), source: "hand:operator", reason: "competitor" }, // prettier-ignore
    ],
    next: null,
  },
  "/api/settings": {
    rows: [
      { key: "bucket.url", value: "s3://acme-fleet", source: "forager.toml" },
      { key: "queue.url", value: "sqlite:queue.db", source: "default" },
      { key: "serve.environment", value: "demo", source: "FORAGER_SERVE_ENVIRONMENT" },
    ],
  },
};
