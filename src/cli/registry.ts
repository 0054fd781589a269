import type { Registry } from "./command.ts";
import { auditLogCommands } from "./audit-log-commands.ts";
import { backupCommands } from "./backup-commands.ts";
import { bucketCommands } from "./bucket-commands.ts";
import { campaignCommands } from "./campaign-commands.ts";
import { fleetCommands } from "./fleet-commands.ts";
import { recordCommands } from "./record-commands.ts";
import { scheduleCommands } from "./schedule-commands.ts";
import { userCommands } from "./user-commands.ts";
import { suppressCommands } from "./suppress-commands.ts";
import { infraCommands } from "./infra-commands.ts";
import { webhookCommands } from "./webhook-commands.ts";

export const registry: Registry = {
  nouns: {
    queue: "tasks that wait, run and are done",
    bucket: "objects that a fleet shares",
    company: "companies: plain text files, notes, calls, search",
    person: "people, and the companies they belong to",
    records: "files and index of companies and people",
    import: "import companies from CSV, JSON, GeoJSON or vCard",
    export: "export companies or e-mail addresses to a file",
    backup: "copies of the data folder, and how to restore them",
    suppress: "people and companies never to contact",
    ledger: "facts about companies, field by field",
    campaign: "plan and run campaigns (phrases × locations)",
    places: "files of places, cut into tiles",
    schedule: "recurring work: gather, visit again, report, export",
    "audit-log": "who did what on this machine",
    webhook: "signed messages to other programs",
    node: "this machine, and the others of its fleet",
    hub: "the node that makes checkpoints",
    fleet: "pause, drain and scale nodes",
    infra: "rights and rules for the store of a bucket",
    user: "people who may sign in, and their roles",
    token: "secrets by which programs call the API",
    config: "settings, and where they come from",
  },
  commands: [
    {
      name: "init",
      summary: "set up this folder: settings and a first campaign",
      load: async () => (await import("./commands/init/init.ts")).init,
    },
    {
      name: "demo",
      summary: "run a sample campaign on websites of this machine",
      load: async () => (await import("./commands/demo.ts")).demo,
    },
    {
      name: "up",
      summary: "run this machine's node: workers, gossip, sync, dashboard",
      load: async () => (await import("./commands/up.ts")).up,
    },
    {
      name: "work",
      summary: "do the tasks of a queue: campaigns, visits, your own kinds",
      load: async () => (await import("./commands/work.ts")).work,
    },
    {
      name: "serve",
      summary: "serve the HTTP API and the dashboard of this data folder",
      load: async () => (await import("./commands/serve/serve.ts")).serve,
    },
    {
      name: "dashboard",
      summary: "print or open a link to the dashboard of the running server",
      load: async () => (await import("./commands/dashboard/dashboard.ts")).dashboard,
    },
    {
      name: "publish",
      summary: "write reports, map and companies as a static site",
      load: async () => (await import("./commands/publish/publish.ts")).publish,
    },
    {
      name: "api",
      summary: "send a request to the HTTP API of the running server",
      load: async () => (await import("./commands/api/api.ts")).api,
    },
    {
      name: "crawl",
      summary: "crawl a site and report the result for every page",
      load: async () => (await import("./commands/crawl/crawl.ts")).crawl,
    },
    {
      name: "enrich",
      summary: "visit company websites and report new contacts",
      load: async () => (await import("./commands/enrich.ts")).enrich,
    },
    {
      name: "phrases",
      summary: "show which tags and categories phrases mean",
      load: async () => (await import("./commands/phrases/phrases.ts")).phrases,
    },
    {
      name: "top",
      summary: "watch queue, throughput, workers and gates",
      load: async () => (await import("./commands/top.ts")).top,
    },
    {
      name: "status",
      summary: "show the health of this node or of the fleet",
      load: async () => (await import("./commands/status.ts")).status,
    },
    {
      name: "logs",
      summary: "read the last log lines of any node",
      load: async () => (await import("./commands/logs.ts")).logs,
    },
    {
      name: "loadtest",
      summary: "run a load test on a queue with local fake sites",
      load: async () => (await import("./commands/loadtest.ts")).loadtest,
    },
    {
      name: "queue add",
      summary: "add one task",
      load: async () => (await import("./commands/queue-add.ts")).queueAdd,
    },
    {
      name: "queue import",
      summary: "add a task for each line of a file",
      load: async () => (await import("./commands/queue-import.ts")).queueImport,
    },
    {
      name: "queue list",
      summary: "list tasks",
      load: async () => (await import("./commands/queue-list.ts")).queueList,
    },
    {
      name: "queue show",
      summary: "show all about one task, and why it waits",
      load: async () => (await import("./commands/queue-show.ts")).queueShow,
    },
    {
      name: "queue stats",
      summary: "count tasks by state, waiting reason, kind and job",
      load: async () => (await import("./commands/queue-stats.ts")).queueStats,
    },
    {
      name: "queue jobs",
      summary: "list jobs with their progress",
      load: async () => (await import("./commands/queue-jobs.ts")).queueJobs,
    },
    {
      name: "queue job",
      summary: "show or set the limits of a job",
      load: async () => (await import("./commands/queue-job.ts")).queueJob,
    },
    {
      name: "queue pause",
      summary: "start no more tasks of a job",
      load: async () => (await import("./commands/queue-pause.ts")).queuePause,
    },
    {
      name: "queue resume",
      summary: "let a paused job go on",
      load: async () => (await import("./commands/queue-resume.ts")).queueResume,
    },
    {
      name: "queue seal",
      summary: "seal a job: it gets no more tasks and can complete",
      load: async () => (await import("./commands/queue-seal.ts")).queueSeal,
    },
    {
      name: "queue cancel",
      summary: "end a job and skip what is left of it",
      load: async () => (await import("./commands/queue-cancel.ts")).queueCancel,
    },
    {
      name: "queue gates",
      summary: "list gates, and whether they are open",
      load: async () => (await import("./commands/queue-gates.ts")).queueGates,
    },
    {
      name: "queue gate",
      summary: "show, set or block a gate",
      load: async () => (await import("./commands/queue-gate.ts")).queueGate,
    },
    {
      name: "queue pacing",
      summary: "show when a host was visited, and who visits it",
      load: async () => (await import("./commands/queue-pacing.ts")).queuePacing,
    },
    {
      name: "queue log",
      summary: "list finished tasks in order, or remove old ones",
      load: async () => (await import("./commands/queue-log.ts")).queueLog,
    },
    {
      name: "queue failures",
      summary: "group failed tasks by their error",
      load: async () => (await import("./commands/queue-failures.ts")).queueFailures,
    },
    {
      name: "queue raise",
      summary: "let a pending task run sooner",
      load: async () => (await import("./commands/queue-raise.ts")).queueRaise,
    },
    {
      name: "queue retry",
      summary: "make failed tasks pending again",
      load: async () => (await import("./commands/queue-retry.ts")).queueRetry,
    },
    {
      name: "queue purge",
      summary: "move finished tasks into the log and free their keys",
      load: async () => (await import("./commands/queue-purge.ts")).queuePurge,
    },
    {
      name: "queue move",
      summary: "move tasks from a local queue file to the configured queue",
      load: async () => (await import("./commands/queue-move.ts")).queueMove,
    },
    {
      name: "queue reconcile",
      summary: "check the counters against the tasks",
      load: async () => (await import("./commands/queue-reconcile.ts")).queueReconcile,
    },
    ...bucketCommands,
    ...recordCommands,
    ...backupCommands,
    ...suppressCommands,
    {
      name: "ledger status",
      summary: "count what this node has, and what it has not shared yet",
      load: async () => (await import("./commands/ledger/status.ts")).ledgerStatus,
    },
    {
      name: "ledger log",
      summary: "list what was written, newest last",
      load: async () => (await import("./commands/ledger/log.ts")).ledgerLog,
    },
    {
      name: "ledger show",
      summary: "show a target, now or as it was",
      load: async () => (await import("./commands/ledger/show.ts")).ledgerShow,
    },
    {
      name: "ledger set",
      summary: "write fields of a target",
      load: async () => (await import("./commands/ledger/set.ts")).ledgerSet,
    },
    {
      name: "ledger verify",
      summary: "check every checksum, here or in a bucket",
      load: async () => (await import("./commands/ledger/verify.ts")).ledgerVerify,
    },
    {
      name: "ledger sync",
      summary: "share own writes and fetch those of others",
      load: async () => (await import("./commands/ledger/sync.ts")).ledgerSync,
    },
    {
      name: "ledger compact",
      summary: "fold everything in the bucket into a checkpoint, once",
      load: async () => (await import("./commands/ledger/compact.ts")).ledgerCompact,
    },
    {
      name: "ledger conflicts",
      summary: "list concurrent writes that were overwritten",
      load: async () => (await import("./commands/ledger/conflicts.ts")).ledgerConflicts,
    },
    {
      name: "ledger quarantine",
      summary: "list writes with timestamps in the future, or re-stamp them",
      load: async () => (await import("./commands/ledger/quarantine.ts")).ledgerQuarantine,
    },
    {
      name: "ledger restore",
      summary: "restore an overwritten value",
      load: async () => (await import("./commands/ledger/restore.ts")).ledgerRestore,
    },
    {
      name: "ledger forget",
      summary: "hide a target for good, and take it out of the logs",
      load: async () => (await import("./commands/ledger/forget.ts")).ledgerForget,
    },
    {
      name: "places import",
      summary: "cut a file of places into tiles that every node can read",
      load: async () => (await import("./commands/places/import.ts")).placesImport,
    },
    ...campaignCommands,
    ...scheduleCommands,
    ...webhookCommands,
    ...infraCommands,
    ...auditLogCommands,
    ...fleetCommands,
    ...userCommands,
    {
      name: "config show",
      summary: "print every setting with its value and source",
      load: async () => (await import("./commands/config/show.ts")).configShow,
    },
    {
      name: "config get",
      summary: "print one setting",
      load: async () => (await import("./commands/config/get.ts")).configGet,
    },
    {
      name: "config set",
      summary: "write one setting into a settings file",
      load: async () => (await import("./commands/config/set.ts")).configSet,
    },
    {
      name: "config edit",
      summary: "open a settings file in your editor, then check it",
      load: async () => (await import("./commands/config/edit.ts")).configEdit,
    },
    {
      name: "config path",
      summary: "list the settings files",
      load: async () => (await import("./commands/config/path.ts")).configPath,
    },
    {
      name: "doctor",
      summary: "check that this machine can run forager",
      load: async () => (await import("./commands/doctor.ts")).doctor,
    },
    {
      name: "deploy",
      summary: "bring a release to hosts over ssh, or go back",
      load: async () => (await import("./commands/deploy/deploy.ts")).deploy,
    },
    {
      name: "runbook",
      summary: "say what a problem or an alarm means, and what to do",
      load: async () => (await import("./commands/runbook.ts")).runbook,
    },
    {
      name: "version",
      summary: "print the version of this program",
      load: async () => (await import("./commands/version.ts")).version,
    },
    {
      name: "names",
      summary: "list names of companies, people, campaigns or nodes",
      load: async () => (await import("./commands/names.ts")).names,
    },
    {
      name: "completion",
      summary: "print a completion script for your shell",
      load: async () => (await import("./commands/completion.ts")).completion,
    },
  ],
};
