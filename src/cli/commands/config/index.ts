import type { Noun } from "../../frame/command.ts";

export const configNoun: Noun = {
  name: "config",
  summary: "settings, and where they come from",
  commands: [
    {
      name: "config show",
      summary: "print every setting with its value and source",
      load: async () => (await import("./show.ts")).configShow,
    },
    {
      name: "config get",
      summary: "print one setting",
      load: async () => (await import("./get.ts")).configGet,
    },
    {
      name: "config set",
      summary: "write one setting into a settings file",
      load: async () => (await import("./set.ts")).configSet,
    },
    {
      name: "config edit",
      summary: "open a settings file in your editor, then check it",
      load: async () => (await import("./edit.ts")).configEdit,
    },
    {
      name: "config path",
      summary: "list the settings files",
      load: async () => (await import("./path.ts")).configPath,
    },
  ],
};
