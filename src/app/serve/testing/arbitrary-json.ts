import fc from "fast-check";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Values that a schema accepts, including its limits. */
export function goodValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(goodValues));
  switch (String(schema.type)) {
    case "object":
      return objects(schema);
    case "array":
      return fc.array(goodValues(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case "string":
      return texts(schema);
    case "integer":
      return wholeNumbers(schema);
    case "number":
      return fc.oneof(
        wholeNumbers(schema),
        fc
          .double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
          .map((one) => Math.round(one * 1_000) / 1_000),
      );
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const wholeNumbers = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema) =>
  fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1_000) }),
  );

const hostile = [
  "<img src=x onerror=alert(1)>",
  "../../etc/passwd",
  "=cmd|' /C calc'!A0",
  "a\u202eb",
  "%00",
  "'; drop table tasks; --",
  "__proto__",
  "constructor",
  "toString",
];

function texts({ minLength = 0, maxLength = 100, pattern, format }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") {
    const range = { min: 0, max: 4_000_000_000_000 };
    return fc.integer(range).map((ms) => new Date(ms).toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc
    .oneof(
      fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 30) }),
      fc.constantFrom(...hostile, "x".repeat(Math.min(maxLength, 2_000))),
    )
    .filter((text) => text.length >= minLength && text.length <= maxLength);
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, goodValues(one)]),
  );
  const known = fc.record(fields, { requiredKeys: [...required] });
  if (typeof additionalProperties !== "object") return known;
  const more = fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), goodValues(additionalProperties), { maxKeys: 3 }); // prettier-ignore
  return fc.tuple(known, more).map(([a, b]) => ({ ...b, ...a }));
}

/** Values that are usually rejected: another type, beyond a limit, too many or too few fields. */
export function badValues(schema: Schema): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(-1, 1e300, "x".repeat(600), [], {}, null, true),
  );
  if (schema.type !== "object" || !schema.properties) return anything;
  const fields = Object.entries(schema.properties).map(
    ([name, one]) => [name, fc.oneof(badValues(one), goodValues(one), anything)] as const,
  );
  return fc.oneof(
    anything,
    fc.record(Object.fromEntries(fields), { requiredKeys: [] }),
    fc.record({ ...Object.fromEntries(fields), unknownField: anything }, { requiredKeys: [] }),
  );
}
