import type { Noun } from "../../frame/command.ts";

export const hubNoun: Noun = {
  name: "hub",
  summary: "the node that makes checkpoints",
  commands: [
    {
      name: "hub run",
      summary: "make checkpoints until stopped",
      load: async () => (await import("./run.ts")).hubRun,
    },
    {
      name: "hub status",
      summary: "show the hub and its last checkpoint",
      load: async () => (await import("./status.ts")).hubStatus,
    },
  ],
};
