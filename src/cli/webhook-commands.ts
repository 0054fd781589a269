import type { CommandEntry } from "./command.ts";

/** Commands of webhooks. */
export const webhookCommands: readonly CommandEntry[] = [
  {
    name: "webhook list",
    summary: "where events are sent",
    load: async () => (await import("./commands/webhook/list.ts")).webhookList,
  },
  {
    name: "webhook add",
    summary: "send signed events to a URL",
    load: async () => (await import("./commands/webhook/add.ts")).webhookAdd,
  },
  {
    name: "webhook test",
    summary: "send one message now",
    load: async () => (await import("./commands/webhook/test.ts")).webhookTest,
  },
  {
    name: "webhook deliveries",
    summary: "what was sent, and how it ended",
    load: async () => (await import("./commands/webhook/deliveries.ts")).webhookDeliveries,
  },
  {
    name: "webhook replay",
    summary: "send a delivery again",
    load: async () => (await import("./commands/webhook/replay.ts")).webhookReplay,
  },
  {
    name: "webhook rotate",
    summary: "sign with a new secret",
    load: async () => (await import("./commands/webhook/rotate.ts")).webhookRotate,
  },
  {
    name: "webhook enable",
    summary: "use a webhook again that was disabled",
    load: async () => (await import("./commands/webhook/enable.ts")).webhookEnable,
  },
  {
    name: "webhook remove",
    summary: "send nothing more to a URL",
    load: async () => (await import("./commands/webhook/remove.ts")).webhookRemove,
  },
];
