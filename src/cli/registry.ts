import type { Registry } from "./command.ts";

export const registry: Registry = {
  nouns: {
    queue: "tasks that wait, run and are done",
    bucket: "objects that a fleet shares",
    config: "settings, and where they come from",
  },
  commands: [
    {
      name: "demo",
      summary: "show the queue at work: gates, priorities, a killed worker",
      load: async () => (await import("./commands/demo.ts")).demo,
    },
    {
      name: "work",
      summary: "do the tasks of a queue with your handlers",
      load: async () => (await import("./commands/work.ts")).work,
    },
    {
      name: "top",
      summary: "watch queue, throughput, workers and gates",
      load: async () => (await import("./commands/top.ts")).top,
    },
    {
      name: "loadtest",
      summary: "put load on a queue with local fake sites, and judge how it went",
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
      summary: "say that a job gets no more tasks, so that it can complete",
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
      name: "queue log",
      summary: "show what has ended, in the order in which it did",
      load: async () => (await import("./commands/queue-log.ts")).queueLog,
    },
    {
      name: "queue retry",
      summary: "make failed tasks pending again",
      load: async () => (await import("./commands/queue-retry.ts")).queueRetry,
    },
    {
      name: "queue purge",
      summary: "forget finished tasks",
      load: async () => (await import("./commands/queue-purge.ts")).queuePurge,
    },
    {
      name: "queue reconcile",
      summary: "check the counters against the tasks",
      load: async () => (await import("./commands/queue-reconcile.ts")).queueReconcile,
    },
    {
      name: "bucket ls",
      summary: "list objects",
      load: async () => (await import("./commands/bucket-ls.ts")).bucketLs,
    },
    {
      name: "bucket cat",
      summary: "print or fetch one object",
      load: async () => (await import("./commands/bucket-cat.ts")).bucketCat,
    },
    {
      name: "bucket put",
      summary: "write one object, also on a condition",
      load: async () => (await import("./commands/bucket-put.ts")).bucketPut,
    },
    {
      name: "bucket usage",
      summary: "count objects and bytes by folder",
      load: async () => (await import("./commands/bucket-usage.ts")).bucketUsage,
    },
    {
      name: "bucket probe",
      summary: "prove what a store can do",
      load: async () => (await import("./commands/bucket-probe.ts")).bucketProbe,
    },
    {
      name: "config show",
      summary: "print every setting with its value and source",
      load: async () => (await import("./commands/config-show.ts")).configShow,
    },
    {
      name: "doctor",
      summary: "check that this machine can run forager",
      load: async () => (await import("./commands/doctor.ts")).doctor,
    },
    {
      name: "completion",
      summary: "print a completion script for your shell",
      load: async () => (await import("./commands/completion.ts")).completion,
    },
  ],
};
