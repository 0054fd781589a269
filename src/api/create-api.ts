import { createHash } from "node:crypto";
import { Hono, type Context } from "hono";
import { createId } from "../base/ids.ts";
import { sessionSeconds, type Access } from "./access.ts";
import { contract } from "./contract/contract.ts";
import type { RouteSpec } from "./contract/route.ts";
import type { HandlerContext } from "./handler.ts";
import { handlers } from "./handlers/all-handlers.ts";
import { checkOrigin, securityHeaders, type PerimeterOptions } from "./perimeter.ts";
import { ProblemError, problemOf } from "./problems.ts";
import { checkPart, createFieldReader, readTexts } from "./read-request.ts";
import { readJsonBody } from "./read-body.ts";
import type { ApiServices } from "./services.ts";
import { plainPage, type StaticFiles } from "./static-files.ts";

export interface ApiOptions {
  readonly services: ApiServices;
  readonly access: Access;
  readonly perimeter: PerimeterOptions;
  readonly files: StaticFiles;
  /** Where the server is reached, once it listens: links begin with it. */
  readonly origin: () => string;
  /** Its name has the port: browsers share cookies between the ports of a host. */
  readonly cookieName: () => string;
}

export interface ApiEnv {
  Bindings: {
    /** Of @hono/node-server. Absent where a test calls the app without a socket. */
    readonly incoming?: { readonly socket: { readonly localAddress?: string } };
  };
  Variables: { requestId: string };
}

type ApiContext = Context<ApiEnv>;

/** How long a link of `forager dashboard` works. */
export const linkLifeMs = 5 * 60_000;

/** All that the server answers: routes of the API, the dashboard's files, and the login link. */
export function createApi(options: ApiOptions): Hono<ApiEnv> {
  const { services, perimeter } = options;
  const app = new Hono<ApiEnv>();

  app.use(async (c, next) => {
    c.set("requestId", createId(services.random, 16));
    for (const [name, value] of Object.entries(securityHeaders)) c.header(name, value);
    c.header("x-request-id", c.get("requestId"));
    checkOrigin(
      {
        method: c.req.method,
        path: c.req.path,
        header: (name) => c.req.header(name),
        localAddress: c.env?.incoming?.socket.localAddress,
      },
      perimeter,
    );
    await next();
  });
  for (const [name, spec] of Object.entries(contract)) addRoute(app, name, spec, options);
  app.all("/api/*", (c) => {
    throw new ProblemError(404, "no_route", `there is no ${c.req.method} ${c.req.path}: see /api/openapi.json`); // prettier-ignore
  });
  app.get("/login", (c) => login(c, options));
  app.get("*", (c) => sendFile(c, options));
  app.all("*", () => {
    throw new ProblemError(405, "wrong_method", "only the API takes other methods than GET");
  });
  app.onError((error, c) => sendProblem(c, error, services));
  return app;
}

type AnyHandler = (input: unknown, context: HandlerContext) => Promise<unknown>;

function addRoute(app: Hono<ApiEnv>, name: string, spec: RouteSpec, options: ApiOptions): void {
  const { access, services, origin } = options;
  const handler = handlers[name as keyof typeof handlers] as unknown as AnyHandler;
  const readParams = spec.params && createFieldReader(spec.params);
  const readQuery = spec.query && createFieldReader(spec.query);
  const makeLink = () => `${origin()}/login?code=${access.makeCode(linkLifeMs)}`;
  app.on(spec.method, spec.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
    const caller = access.callerOf({
      authorization: c.req.header("authorization"),
      cookie: cookieOf(c.req.header("cookie"), options.cookieName()),
    });
    if (!caller.scopes.includes(spec.scope)) {
      throw new ProblemError(403, "missing_scope", `this needs the scope ${spec.scope}`);
    }
    const given = Object.entries(c.req.param() as Readonly<Record<string, string>>);
    const texts = new Map(given.map(([key, text]) => [key, [text]]));
    const search = readTexts(new URL(c.req.url).searchParams);
    if (!spec.query && search.size > 0) {
      throw new ProblemError(400, "bad_request", "query: this route takes none");
    }
    const input = {
      params: readParams && checkPart("path", spec.params!, readParams.read(texts)),
      query: readQuery && checkPart("query", spec.query!, readQuery.read(search)),
      body: spec.body && checkPart("body", spec.body, await readJsonBody(c.req.raw)),
    };
    const answer = await handler(input, {
      ...services,
      caller,
      makeLink,
      requestId: c.get("requestId"),
      signal: c.req.raw.signal,
    });
    return sendJson(c, answer, spec);
  });
}

function sendJson(c: ApiContext, answer: unknown, { method, status = 200 }: RouteSpec): Response {
  const text = JSON.stringify(answer);
  c.header("content-type", "application/json; charset=utf-8");
  c.header("cache-control", "no-store");
  if (method !== "GET") return c.body(text, status);
  const etag = etagOf(text);
  c.header("etag", etag);
  c.header("cache-control", "private, no-cache");
  return matches(c.req.header("if-none-match"), etag) ? c.body(null, 304) : c.body(text, status);
}

const etagOf = (text: string) =>
  `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;

const matches = (header: string | undefined, etag: string) =>
  header !== undefined && header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);

function sendProblem(c: ApiContext, error: unknown, { log }: ApiServices): Response {
  const problem = problemOf(error, c.get("requestId"));
  if (problem.status >= 500) {
    log.error("a request failed", { requestId: problem.requestId, path: c.req.path, error });
  }
  if (problem.status === 401) c.header("www-authenticate", "Bearer");
  c.header("content-type", "application/problem+json; charset=utf-8");
  c.header("cache-control", "no-store");
  return c.body(JSON.stringify(problem), problem.status as 400);
}

/** Of several cookies of that name the first counts, as in every browser. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? "").slice(0, 8_000).split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** The one GET that changes something: it uses up its code. */
function login(c: ApiContext, { access, cookieName }: ApiOptions): Response {
  c.header("cache-control", "no-store");
  const id = access.redeem(c.req.query("code") ?? "");
  if (id === undefined) {
    const text = "Run `forager dashboard` on the machine of this server: it prints a new link.";
    return c.html(plainPage("This link was used, or is too old", text), 403);
  }
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionSeconds}`;
  c.header("set-cookie", `${cookieName()}=${id}; ${flags}`);
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
