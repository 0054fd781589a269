import type { CommandEntry, CommandGroup, Noun } from "../frame/command.ts";
import { queueNoun } from "./queue/index.ts";
import { bucketNoun } from "./bucket/index.ts";
import { companyNoun } from "./company/index.ts";
import { personNoun } from "./person/index.ts";
import { recordsNoun } from "./records/index.ts";
import { importNoun } from "./import/index.ts";
import { exportNoun } from "./export/index.ts";
import { backupNoun } from "./backup/index.ts";
import { suppressNoun } from "./suppress/index.ts";
import { ledgerNoun } from "./ledger/index.ts";
import { campaignNoun } from "./campaign/index.ts";
import { placesNoun } from "./places/index.ts";
import { scheduleNoun } from "./schedule/index.ts";
import { auditLogNoun } from "./audit-log/index.ts";
import { webhookNoun } from "./webhook/index.ts";
import { nodeNoun } from "./node/index.ts";
import { hubNoun } from "./hub/index.ts";
import { fleetNoun } from "./fleet/index.ts";
import { infraNoun } from "./infra/index.ts";
import { userNoun } from "./user/index.ts";
import { tokenNoun } from "./token/index.ts";
import { configNoun } from "./config/index.ts";

/** As `forager --help` lists them. Each noun and each command without a noun is in one group. */
export const groups: readonly CommandGroup[] = [
  { heading: "Start here:", names: ["init", "enrich", "doctor", "demo"] },
  { heading: "Find companies:", names: ["campaign", "places", "phrases", "crawl", "schedule"] },
  {
    heading: "Use the data:",
    names: ["company", "person", "import", "export", "publish", "suppress"],
  },
  { heading: "Keep the data:", names: ["records", "ledger", "undo", "backup"] },
  { heading: "Run and watch:", names: ["up", "work", "queue", "status", "top", "logs", "runbook"] },
  { heading: "Several machines:", names: ["node", "fleet", "bucket", "hub", "deploy", "infra"] },
  {
    heading: "Dashboard and API:",
    names: ["serve", "dashboard", "api", "user", "token", "webhook", "audit-log"],
  },
  { heading: "Other:", names: ["config", "completion", "names", "loadtest", "version"] },
];

export const nouns: readonly Noun[] = [
  queueNoun,
  bucketNoun,
  companyNoun,
  personNoun,
  recordsNoun,
  importNoun,
  exportNoun,
  backupNoun,
  suppressNoun,
  ledgerNoun,
  campaignNoun,
  placesNoun,
  scheduleNoun,
  auditLogNoun,
  webhookNoun,
  nodeNoun,
  hubNoun,
  fleetNoun,
  infraNoun,
  userNoun,
  tokenNoun,
  configNoun,
];

/** Commands without a noun. */
export const singleCommands: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "set up this folder: settings and a first campaign",
    load: async () => (await import("./init/init.ts")).init,
  },
  {
    name: "demo",
    summary: "run a sample campaign on websites of this machine",
    load: async () => (await import("./demo/demo.ts")).demo,
  },
  {
    name: "up",
    summary: "run this machine's node: workers, gossip, sync, dashboard",
    load: async () => (await import("./up/up.ts")).up,
  },
  {
    name: "work",
    summary: "run the tasks of a queue: campaigns, visits, your own kinds",
    load: async () => (await import("./work/work.ts")).work,
  },
  {
    name: "serve",
    summary: "serve the HTTP API and the dashboard of this data folder",
    load: async () => (await import("./serve/serve.ts")).serve,
  },
  {
    name: "dashboard",
    summary: "print or open a link to the dashboard of the running server",
    load: async () => (await import("./dashboard/dashboard.ts")).dashboard,
  },
  {
    name: "publish",
    summary: "write reports, map and companies as a static site",
    load: async () => (await import("./publish/publish.ts")).publish,
  },
  {
    name: "api",
    summary: "send a request to the HTTP API of the running server",
    load: async () => (await import("./api/api.ts")).api,
  },
  {
    name: "crawl",
    summary: "crawl a site and report the result for every page",
    load: async () => (await import("./crawl/crawl.ts")).crawl,
  },
  {
    name: "enrich",
    summary: "visit company websites and report new contacts",
    load: async () => (await import("./enrich/enrich.ts")).enrich,
  },
  {
    name: "phrases",
    summary: "show the tags and categories of phrases",
    load: async () => (await import("./phrases/phrases.ts")).phrases,
  },
  {
    name: "top",
    summary: "watch queue, throughput, workers and gates",
    load: async () => (await import("./top/top.ts")).top,
  },
  {
    name: "status",
    summary: "show the health of this node or of the fleet",
    load: async () => (await import("./status/status.ts")).status,
  },
  {
    name: "logs",
    summary: "read the last log lines of any node",
    load: async () => (await import("./logs/logs.ts")).logs,
  },
  {
    name: "loadtest",
    summary: "run a load test on a queue with local fake sites",
    load: async () => (await import("./loadtest/loadtest.ts")).loadtest,
  },
  {
    name: "undo",
    summary: "undo the last manual change on this node",
    load: async () => (await import("./undo/undo.ts")).undo,
  },
  {
    name: "doctor",
    summary: "check that this machine can run forager",
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
  {
    name: "deploy",
    summary: "deploy a release to hosts over ssh, or roll back",
    load: async () => (await import("./deploy/deploy.ts")).deploy,
  },
  {
    name: "runbook",
    summary: "explain a problem or an alarm, and what to do",
    load: async () => (await import("./runbook/runbook.ts")).runbook,
  },
  {
    name: "version",
    summary: "print the version of this program",
    load: async () => (await import("./version/version.ts")).version,
  },
  {
    name: "names",
    summary: "list names of companies, people, campaigns or nodes",
    load: async () => (await import("./names/names.ts")).names,
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    load: async () => (await import("./completion/completion.ts")).completion,
  },
];
