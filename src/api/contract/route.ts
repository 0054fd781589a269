import * as z from "zod";

/** What a caller must be allowed to do before a route answers. */
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
 * `public`: nobody has to sign in. `self`: every person who is signed in, whatever their role, but no
 * token of a program; the handler gives them only what is their own. `owner`: the person who runs the
 * server, with the folder's token or a link that was made with it.
 */
export type RouteScope = Scope | "public" | "self" | "owner";

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The fields of a query, a path or a body. Unknown fields are refused. */
export type Fields = z.ZodObject;

/**
 * One route without its handler. Everything else is made from these: the router, the checks of
 * requests, the OpenAPI document, the types of the client and the contract test.
 */
export interface RouteSpec {
  readonly method: RouteMethod;
  /** Parameters in braces: `/api/queue/tasks/{id}`. */
  readonly path: `/api/${string}`;
  readonly scope: RouteScope;
  /** A session must have proved within 15 minutes who it belongs to. Tokens of programs are refused. */
  readonly needsFreshLogin?: true;
  /** The answer has a secret, which is shown once: a repeated `Idempotency-Key` does not show it again. */
  readonly showsSecret?: true;
  readonly summary: string;
  readonly params?: Fields;
  readonly query?: Fields;
  /** JSON only. */
  readonly body?: z.ZodType;
  /** Of an answer that is no problem. Default: 200. */
  readonly status?: 200 | 201 | 202;
  /** The JSON of that answer, or of each event. Of a file: nothing. */
  readonly answer: z.ZodType;
  /** Default: one JSON document. */
  readonly sends?: "events" | "file";
  /** Commands that give or do the same. */
  readonly commands?: readonly string[];
  /** A read route at the same path: its ETag is what `If-Match` of this route is compared with. */
  readonly edits?: string;
}

/** Keeps the literal types, which the client needs. */
export const route = <const R extends RouteSpec>(spec: R): R => spec;

export const name = z.string().min(1).max(500);
export const count = z.int().min(0);
export const moment = z.iso.datetime({ offset: true }).describe("ISO 8601");
/** Milliseconds since 1970, by the clock of the server or of the queue. */
export const timeMs = z.number();

/** Of open data: what has to be shown beside it. */
export const licences = z
  .array(z.strictObject({ text: z.string(), licence: z.string(), url: z.string() }).readonly())
  .readonly()
  .describe("of the open data in this answer: what has to be shown beside it");

export const limitMax = 1_000;
export const pageLimit = z.int().min(1).max(limitMax).default(100);
/** `next` of the page before. Its content is nobody's business but the server's. */
export const pageCursor = z.string().min(1).max(4_000);

export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    rows: z.array(row),
    next: pageCursor.nullable().describe("null on the last page"),
  });
