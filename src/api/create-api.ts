import { Hono, type Context } from "hono";
import { createId } from "../base/ids.ts";
import { createRequestAuditor, type AuditNote, type RequestAuditor } from "./audit-requests.ts";
import { answerHealth, healthPaths } from "../observe/index.ts";
import type { Access } from "./access.ts";
import { contract, type RouteName } from "./contract/contract.ts";
import type { LiveHub } from "./live/live-hub.ts";
import { checkOrigin, securityHeaders, type PerimeterOptions } from "./perimeter.ts";
import { ProblemError, problemOf } from "./problems.ts";
import { createClientReader, type RequestClient } from "./request-client.ts";
import { createCallerOf, createRouteRunner, matches } from "./route-runner.ts";
import type { ApiServices } from "./services.ts";
import { startSession } from "./session-cookie.ts";
import { plainPage, type StaticFiles } from "./static-files.ts";
import {
  callbackPath,
  createProviderSignIn,
  type ProviderSignInOptions,
} from "./users/provider-sign-in.ts";

export interface ApiOptions {
  readonly services: ApiServices;
  readonly access: Access;
  readonly perimeter: PerimeterOptions;
  readonly files: StaticFiles;
  readonly live: LiveHub;
  /** The address of the server for this machine, once it listens: one-time links start with it. */
  readonly origin: () => string;
  /** The address that people use. */
  readonly publicOrigin: () => string;
  /** The name contains the port, because browsers share cookies between the ports of a host. */
  readonly cookieName: (c: ApiContext) => string;
  readonly sessionSeconds: number;
  /** Addresses and networks whose forwarded headers are trusted. */
  readonly proxies: readonly string[];
  /** The port for commands on this machine, if they have a separate one. */
  readonly ownPort: () => number | undefined;
  /** The server listens on all addresses of the machine, and `serve.publicUrl` is not set. */
  readonly isListeningEverywhere: boolean;
  /** True if `serve.publicUrl` is not set: people may use another name for this machine. */
  readonly isPublicOriginGuessed: boolean;
  /** The identity provider for signing in, if any. */
  readonly provider: ProviderSignInOptions | undefined;
}

export interface ApiEnv {
  Bindings: {
    /** Set by @hono/node-server. Absent if a test calls the app without a socket. */
    readonly incoming?: {
      readonly url?: string;
      readonly socket: {
        readonly localAddress?: string;
        readonly localPort?: number;
        readonly remoteAddress?: string;
        readonly encrypted?: boolean;
      };
    };
  };
  Variables: { requestId: string; client: RequestClient; audit: AuditNote };
}

export type ApiContext = Context<ApiEnv>;

/** The whole server: routes of the API, the files of the dashboard, and the login link. */
export function createApi(options: ApiOptions): Hono<ApiEnv> {
  const { services, perimeter } = options;
  const app = new Hono<ApiEnv>();
  const headers = Object.entries(securityHeaders(services.mapTiles?.url));

  const readClient = createClientReader(options.proxies);
  let isNameless = false;

  app.use(async (c, next) => {
    c.set("audit", {});
    const socket = c.env?.incoming?.socket;
    const ownPort = options.ownPort();
    const isOwnPort = ownPort !== undefined && socket?.localPort === ownPort;
    const client = readClient({ socket, header: (name) => c.req.header(name), isOwnPort });
    if (client.isNameless && !isNameless) services.log.warn("a proxy of serve.proxies sends no X-Forwarded-For: failed sign-ins of one person slow all others down; set this header in the proxy", { proxy: client.address }); // prettier-ignore
    isNameless ||= client.isNameless;
    c.set("client", client);
    if (client.isSecure) c.header("strict-transport-security", "max-age=31536000");
    c.set("requestId", createId(services.random, 16));
    for (const [name, value] of headers) c.header(name, value);
    c.header("x-request-id", c.get("requestId"));
    checkOrigin(
      {
        method: c.req.method,
        path: c.req.path,
        header: (name) => c.req.header(name),
        localAddress: socket?.localAddress,
        target: c.env?.incoming?.url,
      },
      perimeter,
    );
    await next();
  });
  const run = createRouteRunner(options);
  const auditor = createRequestAuditor(services);
  // The first match handles the request: /api/companies/count comes before /api/companies/{name}.
  const parameters = (name: RouteName) => contract[name].path.split("{").length;
  const names = (Object.keys(contract) as RouteName[]).toSorted((a, b) => parameters(a) - parameters(b)); // prettier-ignore
  for (const name of names) {
    const { method, path } = contract[name];
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), auditor.watch(name, run(name)));
  }
  app.all("/api/*", (c) => {
    throw new ProblemError(404, "no_route", `there is no ${c.req.method} ${c.req.path}: see /api/openapi.json`); // prettier-ignore
  });
  for (const path of healthPaths) app.get(path, (c) => sendHealth(c, path, options));
  app.get("/login", (c) => login(c, options, auditor));
  if (options.provider) {
    const signIn = createProviderSignIn(options.provider, options, auditor);
    app.get("/login/provider", (c) => signIn.start(c));
    app.get(callbackPath, (c) => signIn.finish(c));
  }
  app.get("*", (c) => sendFile(c, options));
  app.all("*", () => {
    throw new ProblemError(405, "wrong_method", "only the API takes other methods than GET");
  });
  app.onError(async (error, c) => {
    await auditor.denied(c, error);
    return sendProblem(c, error, services);
  });
  return app;
}

function sendProblem(c: ApiContext, error: unknown, { log }: ApiServices): Response {
  const problem = problemOf(isForStrangers(c, error) ? undefined : error, c.get("requestId"));
  // Deliberate refusals are not failures, and strangers can cause any number of them, so they are
  // not logged.
  if (problem.status >= 500 && !(error instanceof ProblemError)) {
    log.error("a request failed", { requestId: problem.requestId, path: c.req.path, error });
  }
  if (problem.status === 401) c.header("www-authenticate", "Bearer");
  if (error instanceof ProblemError && error.retrySeconds !== undefined) {
    c.header("retry-after", String(error.retrySeconds));
  }
  c.header("content-type", "application/problem+json; charset=utf-8");
  c.header("cache-control", "no-store");
  return c.body(JSON.stringify(problem), problem.status as 400);
}

/** Details of an internal error are shown only to callers who are signed in. */
const isForStrangers = (c: ApiContext, error: unknown): boolean =>
  (c.get("audit")?.caller?.by ?? "nobody") === "nobody" &&
  !(error instanceof ProblemError) &&
  problemOf(error, "").status >= 500;

async function sendHealth(
  c: ApiContext,
  path: (typeof healthPaths)[number],
  options: ApiOptions,
): Promise<Response> {
  const { health } = options.services;
  const { status, type, body } = await answerHealth(path, health, await isTrusted(c, options));
  if (status === 401) c.header("www-authenticate", "Bearer");
  c.header("content-type", type);
  c.header("cache-control", "no-store");
  return c.body(body, status);
}

async function isTrusted(c: ApiContext, options: ApiOptions): Promise<boolean> {
  try {
    return (await createCallerOf(options)(c)).scopes.includes("status:read");
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

/** A GET with an effect: the one-time code cannot be used again. */
async function login(
  c: ApiContext,
  options: ApiOptions,
  auditor: RequestAuditor,
): Promise<Response> {
  c.header("cache-control", "no-store");
  // A program that only looks where a link leads must not use it up.
  if (c.req.method === "HEAD") return c.body(null, 200);
  const opened = options.access.redeem(c.req.query("code") ?? "", c.get("client"));
  const user = opened?.user;
  await auditor.login(c, { isDone: opened !== undefined, detail: "one-time link of the data folder", user }); // prettier-ignore
  if (opened === undefined) {
    const text = "Run `forager dashboard` on the machine of this server: it prints a new link.";
    return c.html(plainPage("This link was used, or is too old", text), 403);
  }
  startSession(c, opened.secret, options);
  return c.redirect("/", 303);
}

function sendFile(c: ApiContext, { files }: ApiOptions): Response {
  if (files.count === 0) {
    const text =
      "This build has no dashboard: `npm run build` makes it. The API works: /api/status.";
    return c.html(plainPage("The dashboard was not built", text), 503);
  }
  const file = files.find(c.req.path);
  if (!file) throw new ProblemError(404, "no_file", `there is no file ${c.req.path}`);
  const { type, bytes, gzip, etag, isImmutable } = file;
  c.header("etag", etag);
  c.header("content-type", type);
  c.header("vary", "accept-encoding");
  c.header("cache-control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (matches(c.req.header("if-none-match"), etag)) return c.body(null, 304);
  const isPacked = gzip && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  if (isPacked) c.header("content-encoding", "gzip");
  return c.body((isPacked ? gzip : bytes) as Uint8Array<ArrayBuffer>);
}
