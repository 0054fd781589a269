export { createApiServer, makeApiToken, type ApiServer, type ApiServerOptions } from "./server.ts";
export type { ApiCampaigns, ApiServices, StatusValue } from "./services.ts";
