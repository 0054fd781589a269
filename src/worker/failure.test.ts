import { expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { outcomeOf, reasonOf, retryDefaults, retryDelayMs, SlowDownError } from "./failure.ts";
import { queueOutcome } from "./queue-outcome.ts";

const random = createSeededRandom(1);
const policy = { delayMs: 1_000, delayMsMax: 60_000 };

test("the wait is anything up to a limit that doubles, and that has an end", () => {
  const longest = (used: number) =>
    Math.max(
      ...Array.from({ length: 500 }, () => retryDelayMs(policy, { used, leastMs: 0, random })),
    );
  expect(longest(1)).toBeGreaterThan(900);
  expect(longest(1)).toBeLessThanOrEqual(1_000);
  expect(longest(4)).toBeGreaterThan(7_000);
  expect(longest(4)).toBeLessThanOrEqual(8_000);
  expect(longest(1_000)).toBeLessThanOrEqual(60_000);
});

test("full jitter: half of all waits are below half of the limit", () => {
  const waits = Array.from({ length: 1_000 }, () =>
    retryDelayMs(policy, { used: 1, leastMs: 0, random }),
  );
  const low = waits.filter((ms) => ms < 500).length;
  expect(low).toBeGreaterThan(430);
  expect(low).toBeLessThan(570);
});

test("never before what the other side asked for", () => {
  expect(retryDelayMs(policy, { used: 1, leastMs: 5_000, random })).toBe(5_000);
  const outcome = outcomeOf(new SlowDownError("429", { retryAfterMs: 120_000 }));
  expect(queueOutcome(outcome, retryDefaults, 1, random)).toMatchObject({
    kind: "retry",
    reason: "SlowDownError: 429",
    delayMs: 120_000,
  });
});

test("where an error was thrown is kept, with its causes", () => {
  const cause = new Error("connection reset");
  const { stack = "" } = outcomeOf(new TypeError("no page", { cause })) as { stack?: string };
  const [first, ...others] = stack.split("\n");
  expect(first).toMatch(/^at .*failure\.test\.ts/);
  expect(others).toContain("caused by Error");
  expect(stack).not.toContain("no page");
  expect(outcomeOf("just a text")).not.toHaveProperty("stack");
  const circle = new Error("a");
  circle.cause = circle;
  expect(outcomeOf(circle)).toMatchObject({ kind: "retry" });
});

test("whatever was thrown is reported", () => {
  expect(reasonOf(Object.create(null))).toBe("threw a object that has no text");
  expect(reasonOf(undefined)).toBe("threw undefined");
});

test("an error whose properties cannot be read, or are not text, is reported too", () => {
  const withGetter = (property: string) =>
    Object.defineProperty(new Error("a"), property, {
      get() {
        throw new Error("from a getter");
      },
    });
  const withValue = (property: string, value: unknown) =>
    Object.defineProperty(new Error("a"), property, { value });
  const proxy = new Proxy(new Error("a"), {
    getPrototypeOf() {
      throw new Error("from a proxy");
    },
  });
  const errors = [
    ...["name", "message", "stack", "cause"].map(withGetter),
    ...[Symbol("b"), { b: 1 }, null, Object.create(null)].flatMap((value) =>
      ["name", "message", "stack", "cause"].map((property) => withValue(property, value)),
    ),
    proxy,
  ];
  for (const error of errors) {
    expect(outcomeOf(error)).toMatchObject({ kind: "retry", reason: expect.any(String) });
  }
  expect(reasonOf(withGetter("message"))).toBe("Error: (cannot be read)");
  expect(reasonOf(withValue("message", Symbol("b")))).toBe("Error: Symbol(b)");
});

test("an error that stands for several is reported with the first of them", () => {
  const refused = new Error("connect ECONNREFUSED ::1:80");
  const cause = new AggregateError([refused, new Error("connect ECONNREFUSED 127.0.0.1:80")]);
  expect(reasonOf(new TypeError("fetch failed", { cause }))).toBe(
    "TypeError: fetch failed (AggregateError (Error: connect ECONNREFUSED ::1:80))",
  );
  expect(reasonOf(new AggregateError([], "all failed"))).toBe("AggregateError: all failed");
});

test("a Retry-After that makes no sense does not cost the task its attempts", () => {
  const delayOf = (retryAfterMs: number) => {
    const outcome = outcomeOf(new SlowDownError("429", { retryAfterMs }));
    return queueOutcome(outcome, retryDefaults, 1, random);
  };
  for (const nonsense of [NaN, -1]) {
    const { kind, delayMs } = delayOf(nonsense) as { kind: string; delayMs: number };
    expect(kind).toBe("retry");
    expect(delayMs).toBeLessThanOrEqual(retryDefaults.delayMs);
  }
  for (const forever of [Infinity, 1e300]) {
    expect(delayOf(forever)).toMatchObject({ kind: "retry", delayMs: 30 * 86_400_000 });
  }
});
