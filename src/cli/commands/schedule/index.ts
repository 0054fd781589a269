import type { Noun } from "../../frame/command.ts";

export const scheduleNoun: Noun = {
  name: "schedule",
  summary: "recurring work: gather, rescrape, report, export, publish",
  commands: [
    {
      name: "schedule add",
      summary: "add or change a schedule",
      load: async () => (await import("./add.ts")).scheduleAdd,
    },
    {
      name: "schedule list",
      summary: "list schedules with next run and last result",
      load: async () => (await import("./list.ts")).scheduleList,
    },
    {
      name: "schedule show",
      summary: "show next runs, last result and skipped occurrences",
      load: async () => (await import("./show.ts")).scheduleShow,
    },
    {
      name: "schedule pause",
      summary: "pause a schedule: skip occurrences until it is resumed",
      load: async () => (await import("./pause.ts")).schedulePause,
    },
    {
      name: "schedule resume",
      summary: "resume a paused schedule, from now",
      load: async () => (await import("./resume.ts")).scheduleResume,
    },
    {
      name: "schedule remove",
      summary: "remove a schedule",
      load: async () => (await import("./remove.ts")).scheduleRemove,
    },
    {
      name: "schedule run-now",
      summary: "run a schedule once, now",
      load: async () => (await import("./run-now.ts")).scheduleRunNow,
    },
  ],
};
