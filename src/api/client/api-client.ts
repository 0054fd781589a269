/**
 * The typed client of the HTTP API, for the dashboard and for programs. It runs in a browser: it
 * imports only types, and calls `fetch`.
 *
 *   const api = createApiClient({ fetch: (url, init) => fetch(url, init) });
 *   const { rows, next } = await api.get("/api/companies", { query: { words: "floor", limit: 50 } });
 *   const task = await api.get("/api/queue/tasks/{id}", { params: { id: 42 } });
 *   const { url } = await api.send("POST", "/api/session/links", {});
 *
 * - Paths are those of the contract, with their parameters in braces. The compiler checks `params`
 * and
 *   `query`; the response has the type that the contract declares.
 * - Every error response throws an `ApiError` with the problem document of the server:
 *   `error.problem.code` is stable, `error.problem.detail` is for people.
 * - `api.get` also takes `{ signal }`. Lists have `rows` and `next`: pass `next` as `query.after`.
 * - `AnswerOf<"GET", "/api/companies">` is the type of a response, `RowOf<…>` of one row of a list.
 * - A browser sends the session cookie automatically. A program sends `token`, which is in the
 *   file `node/api.token` of the data folder.
 * - Writes: `api.send(method, path, { params, query, body, ifMatch, idempotencyKey })`. Repeating a
 *   write with the same `idempotencyKey` has no further effect.
 */
import type * as z from "zod";
import type { Contract } from "../contract/contract.ts";
import type { ProblemDocument } from "../contract/problem.ts";

type ApiMethod = "GET" | WriteMethod;
export type WriteMethod = "POST" | "PUT" | "PATCH" | "DELETE";
/** The routes of one method, by path. */
type RoutesOf<M extends ApiMethod> = {
  [
    N in keyof Contract as Contract[N]["method"] extends M ? Contract[N]["path"] : never
  ]: Contract[N];
};
export type ApiPath<M extends ApiMethod> = keyof RoutesOf<M>;

type InputOf<R, K extends "params" | "query" | "body"> = R extends {
  readonly [key in K]: infer S extends z.ZodType;
}
  ? {} extends z.input<S>
    ? { readonly [key in K]?: Readonly<z.input<S>> }
    : { readonly [key in K]: Readonly<z.input<S>> }
  : unknown;

export type ApiInput<M extends ApiMethod, P extends ApiPath<M>> = InputOf<
  RoutesOf<M>[P],
  "params"
> &
  InputOf<RoutesOf<M>[P], "query"> &
  InputOf<RoutesOf<M>[P], "body">;
export type AnswerOf<M extends ApiMethod, P extends ApiPath<M>> = RoutesOf<M>[P] extends {
  readonly answer: infer S extends z.ZodType;
}
  ? z.output<S>
  : never;
/** The type of one row of a list. */
export type RowOf<P extends ApiPath<"GET">> =
  AnswerOf<"GET", P> extends { rows: readonly (infer Row)[] } ? Row : never;

/**
 * The maximum size of a request body; the server refuses more. A configuration file is the largest
 * body.
 */
export const bodyBytesMax = 1_100_000;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

/** The part of the browser's `fetch` that is used. */
export type ApiFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal?: AbortSignal;
    readonly redirect: "error";
  },
) => Promise<ApiResponse>;

export interface ApiResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface ApiClientOptions {
  readonly fetch: ApiFetch;
  /** Default: the origin of the page. */
  readonly origin?: string;
  /** Not needed in a browser with a session. */
  readonly token?: string;
}

type GetInput<P extends ApiPath<"GET">> = ApiInput<"GET", P> & CallOptions;

export interface ApiClient {
  get<P extends ApiPath<"GET">>(
    path: P,
    ...input: {} extends GetInput<P> ? [GetInput<P>?] : [GetInput<P>]
  ): Promise<AnswerOf<"GET", P>>;
  send<M extends WriteMethod, P extends ApiPath<M>>(
    method: M,
    path: P,
    input: ApiInput<M, P> & WriteOptions,
  ): Promise<AnswerOf<M, P>>;
  /** Sends a request that is not type-checked, such as one that a user typed. */
  call(method: string, path: string, input: AnyInput): Promise<unknown>;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly problem: ProblemDocument;

  constructor(problem: ProblemDocument) {
    super(problem.detail);
    this.problem = problem;
  }
}

export function createApiClient({ fetch, origin = "", token }: ApiClientOptions): ApiClient {
  const call = async (method: string, path: string, input: AnyInput): Promise<unknown> => {
    const { params, query, body, signal, ifMatch, idempotencyKey } = input;
    const headers: Record<string, string> = {
      accept: "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    };
    const response = await fetch(`${origin}${apiUrl(path, params, query)}`, {
      method,
      headers,
      redirect: "error",
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    if (response.ok) return text === "" ? undefined : (JSON.parse(text) as unknown);
    throw new ApiError(problemOf(response.status, text));
  };
  return {
    get: (path, ...[input]) => call("GET", path, (input ?? {}) as AnyInput) as never,
    send: (method, path, input) => call(method, path as string, input) as never,
    call,
  };
}

export interface AnyInput extends WriteOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type QueryValue = string | number | boolean | undefined;

/**
 * Fills in the parameters of a path. Also used for links and for the "same as" line of a screen.
 */
export function apiUrl(
  path: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    const values = (Array.isArray(value) ? value : [value]) as readonly QueryValue[];
    for (const one of values) if (one !== undefined) search.append(key, String(one));
  }
  const text = search.toString();
  return text === "" ? filled : `${filled}?${text}`;
}

/** A response that is not a problem document comes from something in between, such as a proxy. */
function problemOf(status: number, text: string): ProblemDocument {
  try {
    const found = JSON.parse(text) as ProblemDocument;
    if (typeof found.code === "string") return found;
  } catch {
    // Not JSON: described below.
  }
  const detail = `the server answered with status ${status}`;
  return { type: "about:blank", title: detail, status, detail, code: "not_json", requestId: "" };
}
