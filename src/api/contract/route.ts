import * as z from "zod";

/** The permissions that a route can require. */
export const scopes = [
  "status:read",
  "queue:read",
  "queue:write",
  "companies:read",
  "companies:write",
  "campaigns:read",
  "campaigns:write",
  "exports:read",
  "fleet:read",
  "fleet:command",
  "webhooks:write",
  "audit:read",
  "users:admin",
] as const;
export type Scope = (typeof scopes)[number];

/**
 * `public`: no sign-in is needed. `self`: every signed-in person with any role, but not tokens of
 * programs; the handler returns only what belongs to that person. `owner`: the person who runs the
 * server, identified by the folder's token or a link that was made with it.
 */
export type RouteScope = Scope | "public" | "self" | "owner";

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The fields of a query, a path or a body. Unknown fields are rejected. */
export type Fields = z.ZodObject;

/**
 * One route without its handler. From these specs are derived: the router, the validation of
 * requests, the OpenAPI document, the types of the client and the contract test.
 */
export interface RouteSpec {
  readonly method: RouteMethod;
  /** With parameters in braces: `/api/queue/tasks/{id}`. */
  readonly path: `/api/${string}`;
  readonly scope: RouteScope;
  /**
   * The user must have signed in or confirmed their identity within the last 15 minutes. Tokens of
   * programs are refused.
   */
  readonly needsFreshLogin?: true;
  /**
   * The response contains a secret that is shown once: a repeated `Idempotency-Key` does not show
   * it again.
   */
  readonly showsSecret?: true;
  readonly summary: string;
  readonly params?: Fields;
  readonly query?: Fields;
  /** Bodies are JSON only. */
  readonly body?: z.ZodType;
  /** The status of a successful response. Default: 200. */
  readonly status?: 200 | 201 | 202;
  /** The schema of the JSON response, or of each event. Not used for files. */
  readonly answer: z.ZodType;
  /** Default: one JSON document. */
  readonly sends?: "events" | "file";
  /** The commands that do the same. */
  readonly commands?: readonly string[];
  /** A read route at the same path, whose ETag is compared with the `If-Match` of this route. */
  readonly edits?: string;
}

/** Preserves the literal types, which the client needs. */
export const route = <const R extends RouteSpec>(spec: R): R => spec;

export const name = z.string().min(1).max(500);
export const count = z.int().min(0);
export const moment = z.iso.datetime({ offset: true }).describe("ISO 8601");
/** Milliseconds since 1970, by the clock of the server or of the queue. */
export const timeMs = z.number();

/** The licences that have to be shown with open data. */
export const licences = z
  .array(z.strictObject({ text: z.string(), licence: z.string(), url: z.string() }).readonly())
  .readonly()
  .describe("of the open data in this answer: what has to be shown beside it");

export const limitMax = 1_000;
export const pageLimit = z.int().min(1).max(limitMax).default(100);
/** `next` of the previous page. Opaque to clients. */
export const pageCursor = z.string().min(1).max(4_000);

export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    rows: z.array(row),
    next: pageCursor.nullable().describe("null on the last page"),
  });
