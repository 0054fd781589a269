import type { webhookRoutes } from "../contract/webhook-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const webhookHandlers: HandlersOf<typeof webhookRoutes> = {
  listWebhooks: async (_, { webhooks }) => ({ rows: await webhooks.list() }),
  addWebhook: ({ body }, { webhooks }) => webhooks.add(body),
  removeWebhook: ({ params }, { webhooks }) => webhooks.remove(params.webhook),
  rotateWebhook: ({ params, body }, { webhooks }) => webhooks.rotate(params.webhook, body),
  enableWebhook: ({ params }, { webhooks }) => webhooks.enable(params.webhook),
  testWebhook: ({ params }, { webhooks, signal }) => webhooks.test(params.webhook, signal),
  listDeliveries: async ({ query: { webhook, state, limit } }, { webhooks }) => ({
    rows: await webhooks.deliveries({
      endpoint: webhook,
      states: state === undefined ? undefined : [state],
      limit,
    }),
  }),
  replayDelivery: async ({ params }, { webhooks }) => ({
    delivery: await webhooks.replay(params.delivery),
  }),
};
