import * as z from "zod";
import { campaignRoutes } from "./campaign-routes.ts";
import { fleetCommand, fleetRoutes } from "./fleet-routes.ts";
import { queueRoutes } from "./queue-routes.ts";
import { count, route, type Scope } from "./route.ts";
import { statusAnswer } from "./status-routes.ts";

/** The topics that can be watched, and the schema of the value of each. */
export const liveValues = {
  status: statusAnswer,
  queue: queueRoutes.queueStats.answer,
  records: z.strictObject({
    version: z.string().describe("changes with each change of a company or person"),
    companies: count.describe("counting stops at 100,000"),
  }),
  campaigns: campaignRoutes.listCampaigns.answer,
  fleet: fleetRoutes.showFleet.answer.extend({
    commands: z.array(fleetCommand).describe("the newest 20"),
  }),
};

/** The scope that a viewer of a topic needs. */
export const topicScopes = {
  status: "status:read",
  queue: "queue:read",
  records: "companies:read",
  campaigns: "campaigns:read",
  fleet: "fleet:read",
} as const satisfies Record<keyof typeof liveValues, Scope>;

export type LiveTopic = keyof typeof liveValues;
export type LiveValue<T extends LiveTopic = LiveTopic> = z.output<(typeof liveValues)[T]>;
export const liveTopics = Object.keys(liveValues) as [LiveTopic, ...LiveTopic[]];

const topic = z.enum(liveTopics);

const liveEvent = z.union([
  ...liveTopics.flatMap((name) => [
    z.strictObject({
      kind: z.literal("snapshot"),
      topic: z.literal(name),
      value: liveValues[name],
    }),
    z.strictObject({
      kind: z.literal("delta"),
      topic: z.literal(name),
      fields: liveValues[name]
        .partial()
        .describe("the fields that changed, with their complete values"),
    }),
  ]),
  z.strictObject({
    kind: z.literal("reset"),
    why: z.string(),
  }),
  z.strictObject({
    kind: z.literal("fault"),
    topic,
    detail: z.string().describe("why the topic cannot be read now; it is retried"),
  }),
]);
export type LiveEvent = z.output<typeof liveEvent>;

export const eventRoutes = {
  watch: route({
    method: "GET",
    path: "/api/events",
    scope: "status:read",
    summary:
      "server-sent events: a snapshot of each topic, then its changes. After a lost connection " +
      "send Last-Event-ID to get only what was missed; after a reset, snapshots follow",
    query: z.strictObject({ topic: z.array(topic).min(1).max(liveTopics.length) }),
    sends: "events",
    answer: liveEvent,
    commands: ["top"],
  }),
};
