import type { CommandEntry } from "./command.ts";

/** Commands of nodes, the hub and the fleet. */
export const fleetCommands: readonly CommandEntry[] = [
  {
    name: "node show",
    summary: "show who this node is",
    load: async () => (await import("./commands/node/show.ts")).nodeShow,
  },
  {
    name: "node list",
    summary: "list the nodes of a fleet",
    load: async () => (await import("./commands/node/list.ts")).nodeList,
  },
  {
    name: "node join",
    summary: "fetch the newest checkpoint and all that came after it",
    load: async () => (await import("./commands/node/join.ts")).nodeJoin,
  },
  {
    name: "node run",
    summary: "run this node without queue and workers",
    load: async () => (await import("./commands/node/run.ts")).nodeRun,
  },
  {
    name: "node key",
    summary: "create a key that the nodes of a fleet share",
    load: async () => (await import("./commands/node/key.ts")).nodeKey,
  },
  {
    name: "fleet set",
    summary: "pause, scale or change nodes while they run",
    load: async () => (await import("./commands/fleet/set.ts")).fleetSet,
  },
  {
    name: "fleet show",
    summary: "show commands, and which nodes have applied them",
    load: async () => (await import("./commands/fleet/show.ts")).fleetShow,
  },
  {
    name: "fleet finish-upgrade",
    summary: "end an upgrade: earlier versions are refused from then on",
    load: async () => (await import("./commands/fleet/finish-upgrade.ts")).fleetFinishUpgrade,
  },
  {
    name: "hub run",
    summary: "make checkpoints until stopped",
    load: async () => (await import("./commands/hub/run.ts")).hubRun,
  },
  {
    name: "hub status",
    summary: "show who is the hub, and its last checkpoint",
    load: async () => (await import("./commands/hub/status.ts")).hubStatus,
  },
];
