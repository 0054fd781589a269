export { createApiServer, makeApiToken, type ApiServer, type ApiServerOptions } from "./server.ts";
export type { FileAnswer } from "./handler.ts";
export type {
  ApiCampaigns,
  ApiExports,
  ApiFleet,
  ApiServices,
  CommandValue,
  StatusValue,
} from "./services.ts";
export { contract, type Contract, type RouteName } from "./contract/contract.ts";
export { problem, type ProblemDocument } from "./contract/problem.ts";
export type { RouteSpec } from "./contract/route.ts";
export { breakingChanges } from "./breaking-changes.ts";
export { describeApi } from "./openapi.ts";
export { liveTopics, type LiveEvent, type LiveTopic } from "./contract/event-routes.ts";
