import type { sessionRoutes } from "../contract/session-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const sessionHandlers: HandlersOf<typeof sessionRoutes> = {
  showSession: async (_, { caller, version, environment, clock }) => ({
    ...caller,
    scopes: [...caller.scopes],
    version,
    environment,
    nowMs: clock.nowMs(),
  }),
  createLink: async (_, { makeLink }) => ({ url: makeLink() }),
};
