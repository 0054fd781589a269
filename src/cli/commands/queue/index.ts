import type { Noun } from "../../frame/command.ts";

export const queueNoun: Noun = {
  name: "queue",
  summary: "tasks of the queue: pending, running and finished",
  commands: [
    {
      name: "queue add",
      summary: "add one task",
      load: async () => (await import("./add.ts")).queueAdd,
    },
    {
      name: "queue import",
      summary: "add a task for each line of a file",
      load: async () => (await import("./import.ts")).queueImport,
    },
    {
      name: "queue list",
      summary: "list tasks",
      load: async () => (await import("./list.ts")).queueList,
    },
    {
      name: "queue show",
      summary: "show one task, and why it waits",
      load: async () => (await import("./show.ts")).queueShow,
    },
    {
      name: "queue stats",
      summary: "count tasks by state, waiting reason, kind and job",
      load: async () => (await import("./stats.ts")).queueStats,
    },
    {
      name: "queue jobs",
      summary: "list jobs with their progress",
      load: async () => (await import("./jobs.ts")).queueJobs,
    },
    {
      name: "queue job",
      summary: "show or set the limits of a job",
      load: async () => (await import("./job.ts")).queueJob,
    },
    {
      name: "queue pause",
      summary: "pause a job: start no more of its tasks",
      load: async () => (await import("./pause.ts")).queuePause,
    },
    {
      name: "queue resume",
      summary: "resume a paused job",
      load: async () => (await import("./resume.ts")).queueResume,
    },
    {
      name: "queue seal",
      summary: "seal a job: it accepts no more tasks and can complete",
      load: async () => (await import("./seal.ts")).queueSeal,
    },
    {
      name: "queue cancel",
      summary: "end a job and skip its remaining tasks",
      load: async () => (await import("./cancel.ts")).queueCancel,
    },
    {
      name: "queue gates",
      summary: "list gates, and if they are open",
      load: async () => (await import("./gates.ts")).queueGates,
    },
    {
      name: "queue gate",
      summary: "show, set or block a gate",
      load: async () => (await import("./gate.ts")).queueGate,
    },
    {
      name: "queue pacing",
      summary: "show when a host was visited, and by which worker",
      load: async () => (await import("./pacing.ts")).queuePacing,
    },
    {
      name: "queue log",
      summary: "list finished tasks in order, or remove old ones",
      load: async () => (await import("./log.ts")).queueLog,
    },
    {
      name: "queue failures",
      summary: "group failed tasks by their error",
      load: async () => (await import("./failures.ts")).queueFailures,
    },
    {
      name: "queue raise",
      summary: "make a pending task run sooner",
      load: async () => (await import("./raise.ts")).queueRaise,
    },
    {
      name: "queue retry",
      summary: "make failed tasks pending again",
      load: async () => (await import("./retry.ts")).queueRetry,
    },
    {
      name: "queue purge",
      summary: "move finished tasks into the log and free their keys",
      load: async () => (await import("./purge.ts")).queuePurge,
    },
    {
      name: "queue move",
      summary: "move tasks from a local queue file to the configured queue",
      load: async () => (await import("./move.ts")).queueMove,
    },
    {
      name: "queue reconcile",
      summary: "check the counters against the tasks",
      load: async () => (await import("./reconcile.ts")).queueReconcile,
    },
  ],
};
