import type { statusRoutes } from "../contract/status-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const statusHandlers: HandlersOf<typeof statusRoutes> = {
  status: ({ query }, { status }) => status({ isCluster: query.cluster }),
};
