import type { sessionRoutes } from "../contract/session-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { describeApi, type OpenApiDocument } from "../openapi.ts";

/** Computed once; it is the same for all callers. */
let document: OpenApiDocument | undefined;

export const sessionHandlers: HandlersOf<typeof sessionRoutes> = {
  showSession: async (_, { caller, version, environment, mapTiles, clock }) => ({
    by: caller.by as "token" | "session" | "loopback",
    user: caller.user,
    role: caller.role ?? null,
    scopes: [...caller.scopes],
    isFresh: caller.isFresh,
    confirmBy: caller.confirmBy ?? null,
    version,
    environment,
    mapTiles: mapTiles ?? null,
    nowMs: clock.nowMs(),
  }),
  openApi: async () => (document ??= describeApi()),
  createLink: async (_, { makeLink }) => ({ url: makeLink() }),
};
