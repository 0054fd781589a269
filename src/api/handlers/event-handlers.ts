import type { eventRoutes } from "../contract/event-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const eventHandlers: HandlersOf<typeof eventRoutes> = {
  watch: async ({ query: { topic } }, { live, lastEventId, caller }) =>
    live.open({ topics: [...new Set(topic)], lastEventId, ended: caller.ended }),
};
