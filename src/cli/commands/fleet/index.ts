import type { Noun } from "../../frame/command.ts";

export const fleetNoun: Noun = {
  name: "fleet",
  summary: "pause, drain and scale nodes",
  commands: [
    {
      name: "fleet set",
      summary: "pause, scale or change nodes while they run",
      load: async () => (await import("./set.ts")).fleetSet,
    },
    {
      name: "fleet show",
      summary: "show commands, and which nodes have applied them",
      load: async () => (await import("./show.ts")).fleetShow,
    },
    {
      name: "fleet finish-upgrade",
      summary: "end an upgrade: refuse earlier versions from then on",
      load: async () => (await import("./finish-upgrade.ts")).fleetFinishUpgrade,
    },
  ],
};
