import { createHash } from "node:crypto";
import { changedParts } from "../audit/index.ts";
import { auditedStates, isForgetting, isUnrecorded } from "./audited-states.ts";
import type { AuditNote } from "./audit-requests.ts";
import { contract, type RouteName } from "./contract/contract.ts";
import type { LiveTopic } from "./contract/event-routes.ts";
import type { RouteScope, RouteSpec } from "./contract/route.ts";
import type { ApiContext, ApiOptions } from "./create-api.ts";
import type { Caller, FileAnswer, RouteContext } from "./handler.ts";
import { handlers } from "./handlers/all-handlers.ts";
import { createIdempotentRuns, type RunResult } from "./idempotent-runs.ts";
import { ProblemError } from "./problems.ts";
import { readJsonBody } from "./read-body.ts";
import { createResolveRun } from "./selections/resolve-run.ts";
import { createSelections } from "./selections/selections.ts";
import { checkPart, createFieldReader, readTexts } from "./read-request.ts";
import { browserOf, cookieOf, rememberBrowser, startSession } from "./session-cookie.ts";

/** The lifetime of a link of `forager dashboard`. */
const linkLifeMs = 5 * 60_000;

interface RouteInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type AnyHandler = (input: RouteInput, context: RouteContext) => Promise<unknown>;

/**
 * Creates the function that handles requests to a route: authenticate, validate, call the handler.
 */
export function createRouteRunner(options: ApiOptions) {
  const { access, services, origin, live } = options;
  const callerOf = createCallerOf(options);
  const runs = createIdempotentRuns(services.clock);
  const selections: RouteContext["selections"] = {
    companies: createSelections(services),
    tasks: createSelections(services),
  };
  const resolving = createResolveRun(services);
  const makeLink = () => `${origin()}/login?code=${access.makeCode(linkLifeMs)}`;

  // If the server listens on all addresses, the link uses the host of this request.
  const linkOrigin = (c: ApiContext): string => {
    if (!options.isListeningEverywhere) return options.publicOrigin();
    const { isSecure } = c.get("client");
    return `${isSecure ? "https" : "http"}://${new URL(c.req.url).host}`;
  };

  return (name: RouteName) => {
    const spec: RouteSpec = contract[name];
    const read = createInputReader(spec);
    const handler = handlerOf(name);
    const shown = spec.edits === undefined ? undefined : handlerOf(spec.edits);
    const stateOf = stateReaderOf(name);

    return async (c: ApiContext): Promise<Response> => {
      const client = c.get("client");
      const isPublic = spec.scope === "public";
      const caller = isPublic ? nobody(client.address) : await callerOf(c);
      const note = c.get("audit");
      note.caller = caller;
      checkRight(spec, caller);
      const input = await read(c);
      if (!isUnrecorded(name) && !isForgetting(name)) note.asked = input.body ?? input.query;
      const context: RouteContext = {
        ...services,
        caller,
        makeLink,
        requestId: c.get("requestId"),
        signal: AbortSignal.any([c.req.raw.signal, caller.ended]),
        client: { ...client, browser: browserOf(c, options) },
        access,
        hasProvider: options.provider !== undefined,
        setSession(secret, user) {
          startSession(c, secret, options);
          if (secret !== undefined && user !== undefined) rememberBrowser(c, access.signIn.knownBrowser(user), options); // prettier-ignore
          if (user !== undefined) note.caller = { ...caller, user, by: "session", isOwner: false };
        },
        makeInviteLink: (of, code) => `${linkOrigin(c)}/welcome#${encodeURIComponent(of)}/${code}`,
        live,
        selections,
        resolving,
        lastEventId: c.req.header("last-event-id"),
      };
      if (spec.sends === "events") return sendEvents(c, () => handler(input, context));
      if (spec.sends === "file") return sendFile(c, await handler(input, context), context);
      const readState = await stateOf?.(input, context).catch(() => undefined);
      const before = await readQuietly(readState);
      const run = async (): Promise<RunResult> => {
        const expected = c.req.header("if-match");
        if (expected !== undefined) await checkUnchanged(expected, shown, input, context);
        const answer = await handler(input, context);
        if (readState) Object.assign(note, changedParts(before, await readQuietly(readState)));
        else if (!isUnrecorded(name)) note.after = answer;
        return { text: JSON.stringify(answer) };
      };
      if (spec.method === "GET") return sendRead(c, await run());
      const key = c.req.header("idempotency-key");
      const place = `${caller.isOwner ? "owner" : "user"} ${caller.user} ${c.req.method} ${c.req.path}`;
      const { text } = await (key === undefined || isPublic
        ? run()
        : runs.once({ key, place, request: JSON.stringify(input), showsSecret: spec.showsSecret === true }, run)); // prettier-ignore
      for (const topic of topicsOf(spec.path)) live.poke(topic);
      c.header("content-type", "application/json; charset=utf-8");
      c.header("cache-control", "no-store");
      return c.body(text, spec.status ?? 200);
    };
  };
}

/** Identifies the caller. Throws a problem with status 401. */
export const createCallerOf =
  ({ access, cookieName }: Pick<ApiOptions, "access" | "cookieName">) =>
  (c: ApiContext): Promise<Caller> =>
    access.callerOf({
      ...c.get("client"),
      authorization: c.req.header("authorization"),
      cookie: cookieOf(c.req.header("cookie"), cookieName(c)),
    });

const never = new AbortController().signal;

const nobody = (address: string): Caller => ({
  by: "nobody",
  user: "",
  isOwner: false,
  role: undefined,
  scopes: [],
  isFresh: false,
  confirmBy: undefined,
  sessionId: undefined,
  ended: never,
  address,
});

function checkRight({ scope, needsFreshLogin }: RouteSpec, caller: Caller): void {
  if (!hasScope(scope, caller)) {
    const needed = scope === "owner" ? "the token of the data folder" : `the scope ${scope}`;
    throw new ProblemError(403, "missing_scope", `this needs ${needed}`);
  }
  if (scope === "public" || caller.isOwner) return;
  if (caller.by === "token" && (scope === "self" || needsFreshLogin)) {
    throw new ProblemError(403, "needs_session", "no token may do this: a person signs in for it");
  }
  if (needsFreshLogin && !caller.isFresh) {
    const how = caller.confirmBy === "provider" ? "sign in again at /login/provider?fresh=1" : "type your password again"; // prettier-ignore
    const detail = `this needs a sign-in within the last 15 minutes: ${how}`;
    throw new ProblemError(403, "fresh_login_needed", detail);
  }
}

function hasScope(scope: RouteScope, { scopes, isOwner }: Caller): boolean {
  if (scope === "owner") return isOwner;
  return scope === "public" || scope === "self" || scopes.includes(scope);
}

const handlerOf = (name: string): AnyHandler =>
  handlers[name as RouteName] as unknown as AnyHandler;

function createInputReader(spec: RouteSpec): (c: ApiContext) => Promise<RouteInput> {
  const readParams = spec.params && createFieldReader(spec.params);
  const readQuery = spec.query && createFieldReader(spec.query);
  return async (c) => {
    const given = Object.entries(c.req.param() as Readonly<Record<string, string>>);
    const texts = new Map(given.map(([key, text]) => [key, [text]]));
    const search = readTexts(new URL(c.req.url).searchParams);
    if (!spec.query && search.size > 0) {
      throw new ProblemError(400, "bad_request", "query: this route takes none");
    }
    return {
      params: readParams && checkPart("path", spec.params!, readParams.read(texts)),
      query: readQuery && checkPart("query", spec.query!, readQuery.read(search)),
      body: spec.body && checkPart("body", spec.body, await readJsonBody(c.req.raw)),
    };
  };
}

/** Another caller may have changed the object since this caller read it. */
async function checkUnchanged(
  expected: string,
  shown: AnyHandler | undefined,
  input: RouteInput,
  context: RouteContext,
): Promise<void> {
  if (!shown) throw new ProblemError(400, "bad_request", "If-Match: this route takes none");
  const now = etagOf(JSON.stringify(await shown({ ...input, query: undefined }, context)));
  if (expected.trim() === "*" || matches(expected, now)) return;
  const detail = "it was changed since it was read: read it again, then decide";
  throw new ProblemError(412, "changed_meanwhile", detail);
}

function sendRead(c: ApiContext, { text }: RunResult): Response {
  const etag = etagOf(text);
  c.header("content-type", "application/json; charset=utf-8");
  c.header("etag", etag);
  c.header("cache-control", "private, no-cache");
  return matches(c.req.header("if-none-match"), etag) ? c.body(null, 304) : c.body(text, 200);
}

/** The response to HEAD has no body: nobody would read it, so a generated body would never end. */
const hasBody = (c: ApiContext) => c.req.method !== "HEAD";

async function sendEvents(c: ApiContext, open: () => Promise<unknown>): Promise<Response> {
  c.header("content-type", "text/event-stream; charset=utf-8");
  c.header("cache-control", "no-store");
  c.header("x-accel-buffering", "no"); // prevents a proxy from buffering
  if (!hasBody(c)) return c.body(null, 200);
  return c.body((await open()) as ReadableStream<Uint8Array>, 200);
}

type ReadState = () => Promise<unknown>;

function stateReaderOf(name: RouteName) {
  const found: unknown = (auditedStates as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== "function") return undefined;
  return async (input: RouteInput, context: RouteContext): Promise<ReadState> =>
    (await found(input, context)) as ReadState;
}

/** A state that cannot be read is not recorded; the handler reports the error. */
const readQuietly = async (read: ReadState | undefined): Promise<unknown> =>
  read?.().catch(() => undefined);

/** After the first bytes an error cannot be reported any more, so the connection is closed. */
function sendFile(c: ApiContext, answer: unknown, context: RouteContext): Response {
  const { log, requestId, caller } = context;
  const { fileName, type, run } = answer as FileAnswer;
  c.header("content-type", type);
  c.header("cache-control", "no-store");
  c.header("content-disposition", `attachment; filename="${fileName}"`);
  if (!hasBody(c)) return c.body(null, 200);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const { sent }: AuditNote = c.get("audit");
  let bytes = 0;
  const send = async (text: string) => {
    const chunk = encoder.encode(text);
    await writer.write(chunk);
    bytes += chunk.length;
  };
  run(send)
    .then(async (rows) => {
      // Before the end of the response, so that a client that has received everything finds its
      // entry.
      await sent?.({ rows, bytes });
      await writer.close();
    })
    .catch(async (error: unknown) => {
      const reason = c.req.raw.signal.aborted
        ? "the client disconnected"
        : caller.ended.aborted && "the session or token has ended";
      if (reason === false) log.warn("a download was interrupted", { requestId, error });
      await sent?.({ bytes, cut: reason || "an error, see the log" });
      await writer.abort(error).catch(() => {}); // the client has disconnected
    });
  return c.body(readable, 200);
}

const topicsByPath: Readonly<Record<string, readonly LiveTopic[]>> = {
  queue: ["queue"],
  companies: ["records"],
  people: ["records"],
  campaigns: ["campaigns", "queue"],
  fleet: ["fleet", "status"],
};

/** Topics that a write to a path has probably changed. */
const topicsOf = (path: string): readonly LiveTopic[] => topicsByPath[path.split("/")[2]!] ?? [];

const etagOf = (text: string) =>
  `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;

export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
