import * as z from "zod";
import { roles } from "./roles.ts";
import { moment, name, route, scopes } from "./route.ts";

const userName = z.string().min(1).max(64);
/**
 * The rules for new passwords are not checked here: a login must not say anything about the
 * password.
 */
const password = z.string().min(1).max(1_000);
const role = z.enum(roles);
const signedIn = z.strictObject({ user: z.string(), role });
const noAnswer = z.strictObject({ done: z.literal(true) });
const user = z.strictObject({
  name: z.string(),
  role,
  hasPassword: z.boolean(),
  linkUntil: moment.nullable().describe("until when a link to choose a password is open"),
  createdAt: moment,
  createdBy: z.string(),
});
const invited = z.strictObject({
  user,
  link: z.string().describe("where the user chooses a password, once, within 24 hours"),
});
const token = z.strictObject({
  id: z.string(),
  name: z.string().describe("its purpose"),
  user: z
    .string()
    .nullable()
    .describe("its rights never exceed those of this user; null: it belongs to the fleet"),
  scopes: z.array(z.enum(scopes)),
  createdAt: moment,
  createdBy: z.string(),
  expiresAt: moment,
  usedAt: moment.nullable().describe("recorded at most once an hour"),
});

/** Signing in, and sessions of people. */
export const signInRoutes = {
  showLogin: route({
    method: "GET",
    path: "/api/login",
    scope: "public",
    summary: "the ways to sign in",
    answer: z.strictObject({
      password: z.boolean().describe("whether any user can sign in with a password"),
      provider: z.boolean().describe("/login/provider leads to an identity provider"),
    }),
  }),
  login: route({
    method: "POST",
    path: "/api/login",
    scope: "public",
    summary: "sign in with a password; the answer sets the session cookie",
    body: z.strictObject({ user: userName, password }),
    answer: signedIn,
  }),
  acceptLink: route({
    method: "POST",
    path: "/api/login/link",
    scope: "public",
    summary: "choose a password with a link that works once, and sign in",
    body: z.strictObject({ user: userName, code: z.string().min(1).max(200), password }),
    answer: signedIn,
  }),
  logout: route({
    method: "POST",
    path: "/api/session/logout",
    scope: "self",
    summary: "end this session, or all of one's own",
    body: z.strictObject({ everywhere: z.boolean().default(false) }),
    answer: noAnswer,
  }),
  confirmLogin: route({
    method: "POST",
    path: "/api/session/confirm",
    scope: "self",
    summary:
      "confirm the user of this session again, before changing users or tokens or forgetting records",
    body: z.strictObject({ password }),
    answer: signedIn,
  }),
  changePassword: route({
    method: "PUT",
    path: "/api/session/password",
    scope: "self",
    summary: "choose another password; ends all other sessions of the user",
    body: z.strictObject({ old: password, password }),
    answer: signedIn,
  }),
  listSessions: route({
    method: "GET",
    path: "/api/sessions",
    scope: "self",
    summary: "one's own sessions at this server; with users:admin those of everybody",
    answer: z.strictObject({
      rows: z.array(
        z.strictObject({
          id: z.string(),
          user: z.string(),
          role: role.nullable().describe("null: opened by a link of the data folder"),
          by: z.enum(["link", "password", "oidc"]),
          address: z.string(),
          agent: z.string().describe("the browser, according to its User-Agent"),
          startedAt: moment,
          usedAt: moment,
          isOwn: z.boolean().describe("the session of this request"),
        }),
      ),
    }),
  }),
  endSession: route({
    method: "DELETE",
    path: "/api/sessions/{id}",
    scope: "self",
    summary: "end one of one's own sessions; with users:admin any; its live streams end at once",
    params: z.strictObject({ id: name }),
    answer: noAnswer,
  }),
};

/** Users and the tokens of programs. */
export const userRoutes = {
  listUsers: route({
    method: "GET",
    path: "/api/users",
    scope: "users:admin",
    summary: "all users who may sign in with a password",
    answer: z.strictObject({ rows: z.array(user) }),
    commands: ["user list"],
  }),
  addUser: route({
    method: "POST",
    path: "/api/users",
    scope: "users:admin",
    needsFreshLogin: true,
    showsSecret: true,
    summary: "add a user; the answer has the link by which they choose a password",
    status: 201,
    body: z.strictObject({ name: userName, role }),
    answer: invited,
    commands: ["user add"],
  }),
  setUserRole: route({
    method: "PATCH",
    path: "/api/users/{user}",
    scope: "users:admin",
    needsFreshLogin: true,
    summary: "give a user another role; ends their sessions and live streams",
    params: z.strictObject({ user: userName }),
    body: z.strictObject({ role }),
    answer: user,
    commands: ["user role"],
  }),
  makeUserLink: route({
    method: "POST",
    path: "/api/users/{user}/link",
    scope: "users:admin",
    needsFreshLogin: true,
    showsSecret: true,
    summary: "another link to choose a password, for a user who has forgotten it",
    status: 201,
    params: z.strictObject({ user: userName }),
    answer: invited,
    commands: ["user password"],
  }),
  removeUser: route({
    method: "DELETE",
    path: "/api/users/{user}",
    scope: "users:admin",
    needsFreshLogin: true,
    summary: "remove a user; ends their sessions, live streams and tokens",
    params: z.strictObject({ user: userName }),
    answer: noAnswer,
    commands: ["user remove"],
  }),
  listTokens: route({
    method: "GET",
    path: "/api/tokens",
    scope: "self",
    summary: "one's own tokens; with users:admin those of everybody",
    answer: z.strictObject({ rows: z.array(token) }),
    commands: ["token list"],
  }),
  addToken: route({
    method: "POST",
    path: "/api/tokens",
    scope: "self",
    needsFreshLogin: true,
    showsSecret: true,
    summary: "make a token for a program; it is in the answer, and never shown again",
    status: 201,
    body: z.strictObject({
      name: z.string().min(1).max(100),
      scopes: z.array(z.enum(scopes)).min(1),
      days: z.int().min(1).max(3_650).default(90),
    }),
    answer: token.extend({ token: z.string() }),
    commands: ["token add"],
  }),
  revokeToken: route({
    method: "DELETE",
    path: "/api/tokens/{id}",
    scope: "self",
    needsFreshLogin: true,
    summary: "revoke one of one's own tokens; with users:admin any",
    params: z.strictObject({ id: name }),
    answer: noAnswer,
    commands: ["token revoke"],
  }),
};
