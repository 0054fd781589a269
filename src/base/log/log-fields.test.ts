import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { toLogFields, toLogText } from "./log-fields.ts";

const shown = (value: unknown) => toLogFields({ value })["value"];

describe("an error in a log field", () => {
  test("shows kind, code, message and the whole chain of causes", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const driver = new TypeError("request failed", { cause: refused });
    const error = new AppError("unavailable", "bucket_down", "the bucket is down", {
      cause: driver,
    });
    expect(shown(error)).toEqual({
      name: "AppError",
      kind: "unavailable",
      code: "bucket_down",
      message: "the bucket is down",
      cause: {
        name: "TypeError",
        message: "request failed",
        cause: { name: "Error", code: "ECONNREFUSED", message: "connect ECONNREFUSED" },
      },
    });
  });

  test("shows where in the code it came from only if it is a bug", () => {
    const stackOf = (error: Error) => (shown(error) as { stack?: string }).stack;
    expect(stackOf(new TypeError("x is undefined"))).toContain("log-fields.test.ts");
    expect(stackOf(new AppError("internal", "assertion_failed", "bug"))).toContain(".test.ts");
    expect(stackOf(new AppError("invalid", "bad_key", "unknown key"))).toBeUndefined();
  });

  test("shows all errors of an AggregateError, and causes that are not errors", () => {
    const error = new AggregateError([new AppError("conflict", "lost", "lost")], "two failed", {
      cause: "a word",
    });
    expect(shown(error)).toMatchObject({
      message: "two failed",
      errors: [{ kind: "conflict", code: "lost" }],
      cause: "a word",
    });
  });

  test("that is its own cause ends", () => {
    const error = new Error("a snake");
    error.cause = error;
    expect(shown(error)).toMatchObject({ message: "a snake", cause: "[circular]" });
  });
});

describe("secrets", () => {
  test.each(["password", "secret", "token", "Password", "TOKEN", "apiToken", "client_secret"])(
    "the value of %s is never shown",
    (name) => {
      expect(toLogFields({ [name]: "hush" })).toEqual({ [name]: "***" });
      expect(shown([{ [name]: { deep: "hush" } }])).toEqual([{ [name]: "***" }]);
      expect(shown(new Map([[name, "hush"]]))).toEqual({ [name]: "***" });
    },
  );

  test.each(["tokenize", "secretary", "passwordless", "key", "author"])(
    "%s is an ordinary name, and nothing is hidden without need",
    (name) => expect(toLogFields({ [name]: "open" })).toEqual({ [name]: "open" }),
  );

  test("the password of a URL is not shown, the rest of it is", () => {
    const url = new URL("postgres://forager:hush@db.example:5432/queue");
    expect(shown(url)).toBe("postgres://forager:***@db.example:5432/queue");
    expect(url.password).toBe("hush");
    expect(shown(new URL("https://example.com/a"))).toBe("https://example.com/a");
  });
});

describe("what JSON has no word for", () => {
  test.each([
    [10n, "10"],
    [NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [Symbol("s"), "[symbol]"],
    [() => 1, "[function]"],
    [new Uint8Array(5), "[5 bytes]"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Set([1, 2]), [1, 2]],
    [null, null],
    [{ nested: [true, "text", 1.5] }, { nested: [true, "text", 1.5] }],
  ])("%s becomes %j", (value, expected) => expect(shown(value)).toEqual(expected));

  test("what is too long or too deep says how much is left out", () => {
    const long = shown(Array.from({ length: 250 }, (_, index) => index)) as unknown[];
    expect([long.length, long[199], long[200]]).toEqual([201, 199, "[50 more]"]);
    const wide = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, 1]));
    expect(shown(wide)).toMatchObject({ k199: 1, "…": "[50 more]" });
    let deep: unknown = "bottom";
    for (let depth = 0; depth < 1000; depth++) deep = { deep };
    expect(JSON.stringify(shown(deep))).toBe(
      `${'{"deep":'.repeat(10)}"[too deep]"${"}".repeat(10)}`,
    );
  });

  test("what cannot be read does not take the rest with it", () => {
    const value = {
      good: 1,
      get bad(): never {
        throw new Error("no");
      },
      date: new Date(NaN),
      json: { toJSON: () => shown(BigInt(1)) },
    };
    const broken = Proxy.revocable({}, {});
    broken.revoke();
    expect(shown({ broken: broken.proxy })).toEqual({ broken: "[unreadable]" });
    expect(shown(value)).toEqual({ good: 1, bad: "[unreadable]", date: null, json: "1" });
  });

  test("any value at all becomes JSON that reads back the same", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(fc.string(), anything, (name, value) => {
        const fields = toLogFields({ [name]: value });
        const json = JSON.stringify(fields);
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
      }),
      { numRuns: 300 },
    );
  });
});

test("texts are cut: a website or a file may have written them", () => {
  const long = "x".repeat(1_000_000);
  const cut = `${"x".repeat(20_000)}… [980000 more]`;
  expect(shown(long)).toBe(cut);
  expect(shown(new AppError("invalid", "bad", long))).toMatchObject({ message: cut });
  expect(toLogText(`https://me:secret@a.example/${long}`)).not.toContain("secret");
});
