import * as z from "zod";
import { roles } from "./roles.ts";
import { route, scopes } from "./route.ts";

export const sessionRoutes = {
  showSession: route({
    method: "GET",
    path: "/api/session",
    scope: "status:read",
    summary: "the current user and their rights",
    answer: z.strictObject({
      by: z.enum(["token", "session", "loopback"]),
      user: z.string(),
      role: z.enum(roles).nullable().describe("null: a token, or the person who runs the server"),
      scopes: z.array(z.enum(scopes)),
      isFresh: z
        .boolean()
        .describe("whether changes of users and tokens and forgetting need no new sign-in now"),
      confirmBy: z
        .enum(["password", "provider"])
        .nullable()
        .describe(
          "how to confirm the sign-in again: POST /api/session/confirm, or /login/provider?fresh=1",
        ),
      version: z.string(),
      environment: z.string().describe("such as prod or test; empty: none was set"),
      mapTiles: z
        .strictObject({ url: z.string(), credit: z.string() })
        .nullable()
        .describe("pictures of another server below the map: serve.mapTileUrl; null: none"),
      nowMs: z.number().describe("the server's clock: show times relative to it"),
    }),
  }),
  openApi: route({
    method: "GET",
    path: "/api/openapi.json",
    scope: "status:read",
    summary: "this API, described as OpenAPI 3.1",
    answer: z.looseObject({
      openapi: z.literal("3.1.0"),
      paths: z.record(z.string(), z.unknown()),
    }),
  }),
  createLink: route({
    method: "POST",
    path: "/api/session/links",
    // The session of the link has all rights until it ends. A user must not create one, because
    // their own role may end earlier.
    scope: "owner",
    needsFreshLogin: true,
    showsSecret: true,
    summary: "a link that opens the dashboard once, within five minutes",
    status: 201,
    answer: z.strictObject({ url: z.string() }),
  }),
};
