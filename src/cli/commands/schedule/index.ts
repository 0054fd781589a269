import type { Noun } from "../../frame/command.ts";

export const scheduleNoun: Noun = {
  name: "schedule",
  summary: "recurring work: gather, visit again, report, export",
  commands: [
    {
      name: "schedule add",
      summary: "add or change a schedule",
      load: async () => (await import("./add.ts")).scheduleAdd,
    },
    {
      name: "schedule list",
      summary: "what runs when, and how it last ended",
      load: async () => (await import("./list.ts")).scheduleList,
    },
    {
      name: "schedule show",
      summary: "next runs, last result and skipped occurrences",
      load: async () => (await import("./show.ts")).scheduleShow,
    },
    {
      name: "schedule pause",
      summary: "skip its occurrences until it is resumed",
      load: async () => (await import("./pause.ts")).schedulePause,
    },
    {
      name: "schedule resume",
      summary: "go on with a paused schedule, from now",
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
