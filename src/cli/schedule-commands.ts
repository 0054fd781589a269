import type { CommandEntry } from "./command.ts";

/** Commands of schedules. */
export const scheduleCommands: readonly CommandEntry[] = [
  {
    name: "schedule add",
    summary: "add or change a schedule",
    load: async () => (await import("./commands/schedule/add.ts")).scheduleAdd,
  },
  {
    name: "schedule list",
    summary: "what runs when, and how it last ended",
    load: async () => (await import("./commands/schedule/list.ts")).scheduleList,
  },
  {
    name: "schedule show",
    summary: "next runs, last result and skipped occurrences",
    load: async () => (await import("./commands/schedule/show.ts")).scheduleShow,
  },
  {
    name: "schedule pause",
    summary: "skip its occurrences until it is resumed",
    load: async () => (await import("./commands/schedule/pause.ts")).schedulePause,
  },
  {
    name: "schedule resume",
    summary: "go on with a paused schedule, from now",
    load: async () => (await import("./commands/schedule/resume.ts")).scheduleResume,
  },
  {
    name: "schedule remove",
    summary: "remove a schedule",
    load: async () => (await import("./commands/schedule/remove.ts")).scheduleRemove,
  },
  {
    name: "schedule run-now",
    summary: "run a schedule once, now",
    load: async () => (await import("./commands/schedule/run-now.ts")).scheduleRunNow,
  },
];
