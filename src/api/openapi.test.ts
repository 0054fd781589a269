import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { breakingChanges } from "../../test/support/breaking-changes.ts";
import { describeApi, type OpenApiDocument } from "./openapi.ts";

const document = JSON.parse(JSON.stringify(describeApi())) as OpenApiDocument;

test("it is a valid OpenAPI 3.1 document, by the official schema", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every route has a scope and an answer, and its parameters are those of its path", () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation["x-scope"], path).toMatch(/^(?:[a-z]+:[a-z]+|public|self|owner)$/);
      const parameters = (operation["parameters"] ?? []) as { in: string; name: string }[];
      const named = parameters.filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
      expect(path.match(/\{\w+\}/g) ?? []).toEqual(named);
    }
  }
});

const sample = {
  paths: {
    "/api/x": {
      get: {
        "x-scope": "queue:read",
        parameters: [{ name: "limit", in: "query", schema: { type: "integer", maximum: 10 } }],
        responses: {
          "200": {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: { a: { type: "string" }, b: { type: "number" } },
                  required: ["a"],
                },
              },
            },
          },
        },
      },
    },
  },
};

type Sample = typeof sample;

test.each<[string, (value: Sample) => unknown, readonly string[]]>([
  ["nothing", () => {}, []],
  ["a field more", (s) => Object.assign(answerOf(s).properties, { c: { type: "string" } }), []],
  ["a route that is gone", (s) => Object.assign(s, { paths: {} }), ["GET /api/x is gone"]],
  ["another scope", (s) => (s.paths["/api/x"].get["x-scope"] = "queue:write"), ["GET /api/x: needs the scope queue:write"]], // prettier-ignore
  ["a field that is gone", (s) => delete (answerOf(s).properties as { a?: unknown }).a, ["GET /api/x: answer.a is gone"]], // prettier-ignore
  ["a field that may be absent", (s) => (answerOf(s).required = []), ["GET /api/x: answer.a may be absent"]], // prettier-ignore
  ["another type", (s) => (answerOf(s).properties.b.type = "string"), ["GET /api/x: answer.b has another type"]], // prettier-ignore
  ["a parameter that is gone", (s) => (s.paths["/api/x"].get.parameters = []), ["GET /api/x: the parameter query limit is gone"]], // prettier-ignore
  ["a lower limit", (s) => (s.paths["/api/x"].get.parameters[0]!.schema.maximum = 5), ["GET /api/x: query limit: maximum is 5"]], // prettier-ignore
])("a breaking change is named: %s", (_, change, expected) => {
  const changed = structuredClone(sample);
  change(changed);
  expect(breakingChanges(sample, changed)).toEqual(expected);
});

const answerOf = (value: Sample) =>
  value.paths["/api/x"].get.responses["200"].content["application/json"].schema;
