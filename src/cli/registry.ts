import type { Registry } from "./command.ts";

export const registry: Registry = {
  nouns: {
    config: "settings, and where they come from",
  },
  commands: [
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
