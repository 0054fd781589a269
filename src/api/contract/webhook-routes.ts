import * as z from "zod";
import { eventTypes } from "../../notify/event-names.ts";
import { moment, name, pageLimit, route } from "./route.ts";

const webhook = z.strictObject({ webhook: name });

const view = {
  id: z.string(),
  url: z.string().describe("without its path, which is often a token"),
  events: z.array(z.string()).describe("empty: all"),
  createdAt: moment,
  disabled: z
    .strictObject({ at: moment, reason: z.string() })
    .nullable()
    .describe("null: it is in use"),
  secrets: z.int().describe("secrets that sign now: two during a rotation"),
};
const withSecret = z.strictObject({
  ...view,
  secret: z
    .string()
    .nullable()
    .describe("shown this once; null: nodes find it in a file or variable"),
});
const delivery = z.strictObject({
  id: z.int(),
  endpoint: z.string(),
  event: z.string().describe("the webhook-id"),
  type: z.string(),
  state: z.enum(["pending", "running", "done", "skipped", "failed"]),
  attempts: z.int(),
  addedAt: moment,
  endedAt: moment.nullable(),
  answer: z.string().nullable(),
});

export const webhookRoutes = {
  listWebhooks: route({
    method: "GET",
    path: "/api/webhooks",
    scope: "webhooks:write",
    summary: "where events are sent",
    answer: z.strictObject({ rows: z.array(z.strictObject(view)) }),
    commands: ["webhook list"],
  }),
  addWebhook: route({
    method: "POST",
    path: "/api/webhooks",
    scope: "webhooks:write",
    showsSecret: true,
    summary: "send events to a URL, signed; the answer has the secret",
    status: 201,
    body: z.strictObject({
      url: z.string().min(1).max(1_000),
      events: z.array(z.enum(eventTypes)).max(10).default([]).describe("empty: all"),
    }),
    answer: withSecret,
    commands: ["webhook add"],
  }),
  removeWebhook: route({
    method: "DELETE",
    path: "/api/webhooks/{webhook}",
    scope: "webhooks:write",
    summary: "remove a webhook",
    params: webhook,
    answer: z.strictObject(view),
    commands: ["webhook remove"],
  }),
  rotateWebhook: route({
    method: "POST",
    path: "/api/webhooks/{webhook}/secret",
    scope: "webhooks:write",
    showsSecret: true,
    summary: "sign with a new secret, and with the earlier one for a while",
    params: webhook,
    body: z.strictObject({ overlapMs: z.int().min(0).max(2_592_000_000).default(86_400_000) }),
    answer: withSecret,
    commands: ["webhook rotate"],
  }),
  enableWebhook: route({
    method: "POST",
    path: "/api/webhooks/{webhook}/enable",
    scope: "webhooks:write",
    summary: "enable a disabled webhook by its receiver",
    params: webhook,
    answer: z.strictObject(view),
    commands: ["webhook enable"],
  }),
  testWebhook: route({
    method: "POST",
    path: "/api/webhooks/{webhook}/test",
    scope: "webhooks:write",
    summary: "send a test message now, and return the answer of the receiver",
    params: webhook,
    answer: z.strictObject({ status: z.int(), isTaken: z.boolean() }),
    commands: ["webhook test"],
  }),
  listDeliveries: route({
    method: "GET",
    path: "/api/deliveries",
    scope: "webhooks:write",
    summary: "messages sent to webhooks, newest first",
    query: z.strictObject({
      webhook: name.optional(),
      state: delivery.shape.state.optional(),
      limit: pageLimit,
    }),
    answer: z.strictObject({ rows: z.array(delivery) }),
    commands: ["webhook deliveries"],
  }),
  replayDelivery: route({
    method: "POST",
    path: "/api/deliveries/{delivery}/replay",
    scope: "webhooks:write",
    summary: "send it again, with the same webhook-id",
    status: 202,
    params: z.strictObject({ delivery: z.int().min(1) }),
    answer: z.strictObject({ delivery: z.int().describe("the new one") }),
    commands: ["webhook replay"],
  }),
};
