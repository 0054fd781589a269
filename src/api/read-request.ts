import * as z from "zod";
import type { Fields, RouteSpec } from "./contract/route.ts";
import type { ProblemDocument } from "./contract/problem.ts";
import { ProblemError } from "./problems.ts";

/** Reads the texts of a path or a query, by field. */
export interface FieldReader {
  read(texts: ReadonlyMap<string, readonly string[]>): unknown;
}

interface JsonSchema {
  readonly type?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts texts to the types of the schema: numbers, booleans and lists. A text that cannot be
 * converted is left as it is, so that the schema reports the error.
 */
export function createFieldReader(schema: Fields): FieldReader {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  return {
    read(texts) {
      const values: [string, unknown][] = [];
      for (const [key, all] of texts) {
        const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
        const value =
          own?.type === "array"
            ? all.map((text) => convert(text, own.items))
            : all.length === 1
              ? convert(all[0]!, own)
              : all;
        values.push([key, value]);
      }
      return Object.fromEntries(values);
    },
  };
}

function convert(text: string, schema: JsonSchema | undefined): unknown {
  if (schema?.type === "integer" || schema?.type === "number") {
    return /^-?\d{1,16}(?:\.\d{1,12})?$/.test(text) ? Number(text) : text;
  }
  if (schema?.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/** Validates one part of a request; the error names every wrong field. */
export function checkPart(
  part: "path" | "query" | "body",
  schema: NonNullable<RouteSpec["body"]>,
  value: unknown,
): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors: NonNullable<ProblemDocument["errors"]> = parsed.error.issues
    .slice(0, 20)
    .map((issue) => ({
      where: [part, ...issue.path].map(String).join("."),
      message: issue.message,
    }));
  const [first] = errors;
  const detail = `${first?.where}: ${first?.message}`;
  throw new ProblemError(400, "bad_request", detail, errors);
}

/** Refuses too many fields, and names that every object has, before anything reads them. */
export function readTexts(search: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  let left = fieldsMax;
  for (const [key, value] of search) {
    if (left-- === 0) {
      throw new ProblemError(400, "bad_request", `query: more than ${fieldsMax} fields`);
    }
    const known = texts.get(key);
    if (known) known.push(value);
    else texts.set(key, [value]);
  }
  return texts;
}

const fieldsMax = 200;
