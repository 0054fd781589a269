import * as z from "zod";
import { contract, type RouteName } from "./contract/contract.ts";
import { problem } from "./contract/problem.ts";
import type { RouteSpec } from "./contract/route.ts";

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument extends Record<string, unknown> {
  readonly openapi: "3.1.0";
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Describes every route of the contract in OpenAPI 3.1. zod generates the JSON schemas. */
export function describeApi(): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of (Object.keys(contract) as RouteName[]).toSorted()) {
    const spec: RouteSpec = contract[name];
    const operations = (paths[spec.path] ??= {});
    operations[spec.method.toLowerCase()] = describeRoute(name, spec);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Forager",
      version: "1",
      description: "The HTTP API of `forager serve`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:4870" }],
    security: [{ token: [] }, { session: [] }],
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "of `forager token add`, or the file node/api.token",
        },
        session: { type: "apiKey", in: "cookie", name: "forager_4870" },
      },
      schemas: { Problem: schemaOf(problem, "output") },
      responses: {
        Problem: {
          description: "what went wrong (RFC 9457)",
          content: {
            "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
          },
        },
      },
    },
  };
}

function describeRoute(name: string, spec: RouteSpec): Json {
  const { params, query, body, method, status = 200 } = spec;
  const parameters = [
    ...(params ? parametersOf(params, "path") : []),
    ...(query ? parametersOf(query, "query") : []),
    ...(method === "GET" ? [] : [header("Idempotency-Key", "a repeated write has one effect")]),
    ...(spec.edits === undefined ? [] : [header("If-Match", "the ETag of what was read")]),
  ];
  const isSafe = method === "GET";
  const isRead = isSafe && spec.sends === undefined;
  return {
    operationId: name,
    summary: spec.summary,
    tags: [spec.path.split("/")[2]!],
    "x-scope": spec.scope,
    ...(spec.scope === "public" && { security: [] }),
    ...(spec.needsFreshLogin && { "x-fresh-login": true }),
    ...(spec.commands && { "x-commands": spec.commands }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      [status]: {
        description: "done",
        ...(isRead && { headers: { ETag: { schema: { type: "string" } } } }),
        content: contentOf(spec),
      },
      ...(isRead && { 304: { description: "not changed since If-None-Match" } }),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function contentOf({ sends, answer }: RouteSpec): Json {
  if (sends === "file") return { "*/*": { schema: { type: "string" } } };
  const schema = schemaOf(answer, "output");
  return sends === "events"
    ? { "text/event-stream": { schema: { ...schema, description: "the `data` of one event" } } }
    : { "application/json": { schema } };
}

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

function parametersOf(schema: z.ZodType, place: "path" | "query"): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    ...(description !== undefined && { description }),
    ...((place === "path" || required.includes(name)) && { required: true }),
    schema: rest,
  }));
}

/**
 * Removes the bounds of safe integers: they apply to every integer in JavaScript and say nothing
 * about a field.
 */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const made = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as Record<string, unknown>;
  delete made["$schema"];
  return made;
}
