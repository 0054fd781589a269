import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { apiUrl } from "../../api/client/api-client.ts";
import { contract, problem, type RouteName, type RouteSpec } from "../../api/index.ts";
import { badValues, goodValues, type Schema } from "./testing/arbitrary-json.ts";
import { openTestServe, type TestServe } from "./testing/open-test-serve.ts";

/** Statuses that report an error in the request. 500 is a bug and never correct. */
const declaredProblems = new Set([400, 404, 409, 412, 413, 415, 422, 503]);

/**
 * These routes answer only after an event elsewhere, or in another form; they have separate tests.
 */
const isApart = (name: RouteName) => (contract[name] as RouteSpec).sends !== undefined;

const names = (Object.keys(contract) as RouteName[]).filter((name) => !isApart(name));

describe("every route keeps its contract", () => {
  let server: TestServe;

  beforeAll(async () => {
    server = await openTestServe({ owner: "file" });
    await fill(server);
  });

  const partOf = (
    schema: z.ZodType | undefined,
    values: (schema: Schema) => fc.Arbitrary<unknown>,
  ) =>
    schema ? values(z.toJSONSchema(schema, { io: "input" }) as Schema) : fc.constant(undefined);

  const requests = (spec: RouteSpec, isGood: boolean) => {
    const values = isGood ? goodValues : badValues;
    const known = fc.constantFrom(
      "acme",
      "anna-berg",
      "nightly",
      "example.org",
      "1",
      "2",
      "austin",
    );
    const params = spec.params
      ? fc.oneof(
          partOf(spec.params, goodValues),
          known.map((text) => Object.fromEntries(Object.keys(spec.params!.shape).map((key) => [key, text]))), // prettier-ignore
        )
      : fc.constant({});
    return fc.record({
      params: params as fc.Arbitrary<Record<string, unknown>>,
      query: partOf(spec.query, values) as fc.Arbitrary<Record<string, unknown> | undefined>,
      body: partOf(spec.body, values),
    });
  };

  const check = async (
    name: RouteName,
    request: { params: object; query?: unknown; body?: unknown },
  ) => {
    const spec: RouteSpec = contract[name];
    const query = typeof request.query === "object" && request.query !== null ? request.query : {};
    const path = apiUrl(spec.path, { ...request.params }, textsOf(query));
    const headers = {
      authorization: `Bearer ${server.token}`,
      ...(spec.body && { "content-type": "application/json" }),
    };
    const init = { method: spec.method, headers };
    const response = await fetch(`${server.origin}${path}`, {
      ...init,
      ...(spec.body && { body: JSON.stringify(request.body ?? null) }),
    });
    const body: unknown = await response.json();
    const reported = `${spec.method} ${path} ${JSON.stringify(request.body)?.slice(0, 300)} → ${response.status} ${JSON.stringify(body).slice(0, 500)}`; // prettier-ignore
    if (response.status === (spec.status ?? 200)) {
      const parsed = spec.answer.safeParse(body);
      expect(parsed.error?.issues ?? [], reported).toEqual([]);
      return;
    }
    const isLogin = spec.scope === "public" && [401, 429].includes(response.status);
    expect(isLogin || declaredProblems.has(response.status), reported).toBe(true);
    expect(problem.safeParse(body).error?.issues ?? [], reported).toEqual([]);
  };

  /** The seed is fixed: a failure found with another seed gets its own test. */
  const runs = { numRuns: 10, seed: 29 };

  test.each(names)("%s answers good requests, and those at its limits", async (name) => {
    await fc.assert(
      fc.asyncProperty(requests(contract[name], true), (request) => check(name, request)),
      runs,
    );
  });

  test.each(names)("%s refuses bad requests, and never breaks", async (name) => {
    await fc.assert(
      fc.asyncProperty(requests(contract[name], false), (request) => check(name, request)),
      runs,
    );
  });
});

/** In a query, values other than texts and numbers are JSON, which no route accepts. */
const textsOf = (query: object) =>
  Object.fromEntries(
    Object.entries(query).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? value.map(textOf) : textOf(value),
    ]),
  );

const textOf = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);

/** Creates one object of each kind, so that routes have data to return. */
async function fill({ client }: TestServe): Promise<void> {
  await client.send("POST", "/api/campaigns", { body: { campaign: "austin" } });
  const fields = { email: "info@acme.example", city: "Austin", domain: "acme.example" };
  await client.send("POST", "/api/companies", { body: { name: "Acme", fields } });
  await client.send("POST", "/api/people", { body: { name: "Anna Berg", company: "acme" } });
  await client.send("POST", "/api/queue/tasks", {
    body: {
      tasks: [{ kind: "page", job: "nightly", gate: "example.org", key: "a" }, { kind: "page" }],
    },
  });
}
