import type { Noun } from "../../frame/command.ts";

export const nodeNoun: Noun = {
  name: "node",
  summary: "this node, and the others of its fleet",
  commands: [
    {
      name: "node show",
      summary: "show the id and name of this node",
      load: async () => (await import("./show.ts")).nodeShow,
    },
    {
      name: "node list",
      summary: "list the nodes of a fleet",
      load: async () => (await import("./list.ts")).nodeList,
    },
    {
      name: "node join",
      summary: "fetch the newest checkpoint and everything after it",
      load: async () => (await import("./join.ts")).nodeJoin,
    },
    {
      name: "node run",
      summary: "run this node without queue and workers",
      load: async () => (await import("./run.ts")).nodeRun,
    },
    {
      name: "node key",
      summary: "create a key that the nodes of a fleet share",
      load: async () => (await import("./key.ts")).nodeKey,
    },
  ],
};
