import type { Noun } from "../../frame/command.ts";

export const webhookNoun: Noun = {
  name: "webhook",
  summary: "signed messages to other programs",
  commands: [
    {
      name: "webhook list",
      summary: "where events are sent",
      load: async () => (await import("./list.ts")).webhookList,
    },
    {
      name: "webhook add",
      summary: "send signed events to a URL",
      load: async () => (await import("./add.ts")).webhookAdd,
    },
    {
      name: "webhook test",
      summary: "send one message now",
      load: async () => (await import("./test.ts")).webhookTest,
    },
    {
      name: "webhook deliveries",
      summary: "list messages that were sent, and their results",
      load: async () => (await import("./deliveries.ts")).webhookDeliveries,
    },
    {
      name: "webhook replay",
      summary: "send a delivery again",
      load: async () => (await import("./replay.ts")).webhookReplay,
    },
    {
      name: "webhook rotate",
      summary: "sign with a new secret",
      load: async () => (await import("./rotate.ts")).webhookRotate,
    },
    {
      name: "webhook enable",
      summary: "enable a disabled webhook",
      load: async () => (await import("./enable.ts")).webhookEnable,
    },
    {
      name: "webhook remove",
      summary: "remove a webhook",
      load: async () => (await import("./remove.ts")).webhookRemove,
    },
  ],
};
