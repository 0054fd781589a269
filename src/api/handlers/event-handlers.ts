import type { eventRoutes } from "../contract/event-routes.ts";
import { topicScopes } from "../contract/event-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { ProblemError } from "../problems.ts";

export const eventHandlers: HandlersOf<typeof eventRoutes> = {
  async watch({ query: { topic } }, { live, lastEventId, caller }) {
    const lacking = topic.find((one) => !caller.scopes.includes(topicScopes[one]));
    if (lacking !== undefined) {
      const detail = `the topic ${lacking} needs the scope ${topicScopes[lacking]}`;
      throw new ProblemError(403, "missing_scope", detail);
    }
    const user = caller.isOwner ? "" : caller.user;
    return live.open({ topics: [...new Set(topic)], lastEventId, user, ended: caller.ended });
  },
};
