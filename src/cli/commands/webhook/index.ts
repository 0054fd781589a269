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
      summary: "what was sent, and how it ended",
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
      summary: "use a webhook again that was disabled",
      load: async () => (await import("./enable.ts")).webhookEnable,
    },
    {
      name: "webhook remove",
      summary: "send nothing more to a URL",
      load: async () => (await import("./remove.ts")).webhookRemove,
    },
  ],
};
