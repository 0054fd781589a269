import type { siteRoutes } from "../contract/site-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const siteHandlers: HandlersOf<typeof siteRoutes> = {
  listSites: async (_, { sites }) => ({ rows: [...sites.list()] }),
  publishSite: async ({ body: { target } }, { sites, signal }) => sites.publish(target, { signal }),
};
