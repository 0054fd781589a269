export { createApiServer, makeApiToken, type ApiServer } from "./server.ts";
export { createAccountStore, type AccountMemory } from "./users/account-store.ts";
export { addToken, describeToken, revokeToken, tokenDays } from "./users/manage-tokens.ts";
export {
  addUser,
  describeUser,
  inviteUser,
  removeUser,
  setPassword,
  setRole,
  type AccountTools,
} from "./users/manage-users.ts";
export { createPasswords, type PasswordCost } from "./users/passwords.ts";
export { parseGroupRoles } from "./users/identity-provider.ts";
export type { ProviderSignInOptions } from "./users/provider-sign-in.ts";
export { roles, scopesOfRole, type Role } from "./contract/roles.ts";
export { scopes, type Scope } from "./contract/route.ts";
export type { FileAnswer } from "./handler.ts";
export type { ApiCampaigns, ApiExports, ApiFleet, ApiServices, CommandValue } from "./services.ts";
export { contract, type RouteName } from "./contract/contract.ts";
export { problem } from "./contract/problem.ts";
export { auditedStates } from "./audited-states.ts";
export type { RouteSpec } from "./contract/route.ts";
export { isAudited } from "./audit-requests.ts";
export { describeApi } from "./openapi.ts";
export { liveTopics } from "./contract/event-routes.ts";
