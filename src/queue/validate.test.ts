import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import type { FinishInput, TaskInput } from "./queue.ts";
import { addTasksMax, createValidator, payloadBytesMax } from "./validate.ts";

const clock = createTestClock(1_000_000);
let made = 0;
const check = createValidator({ clock, newId: () => `id${++made}` });
const task = (more: Record<string, unknown> = {}) =>
  check.tasks([{ kind: "work", key: "a", ...more } as TaskInput])[0]!;

/** Any UTF-16, also what is not text: half characters, control characters. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 8 })
  .map((codes) => String.fromCharCode(...codes));

/** The message must say what is wrong with what, so that a person can act on it. */
function expectRefused(act: () => unknown, code: string, message: RegExp): void {
  let error: unknown;
  try {
    act();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ kind: "invalid", code });
  expect((error as AppError).message).toMatch(message);
}

describe("a new task", () => {
  test("gets defaults for what was left out", () => {
    expect(check.tasks([{ kind: "work" }, { kind: "work" }])).toMatchObject([
      {
        kind: "work",
        job: "default",
        gate: "",
        payload: "null",
        priority: 500,
        dueAtMs: 0,
        attemptsMax: 5,
      },
      { job: "default" },
    ]);
    const [first, second] = check.tasks([{ kind: "work" }, { kind: "work" }]);
    expect(first!.key).not.toBe(second!.key);
  });

  test("is due at a moment or after a delay, not both", () => {
    // The clock drops fractions, so a delay is counted from the next whole millisecond.
    expect(task({ delayMs: 500 }).dueAtMs).toBe(1_000_501);
    expect(task({ delayMs: 499.1 }).dueAtMs).toBe(1_000_501);
    expect(task({ delayMs: 0 }).dueAtMs).toBe(1_000_000);
    expect(task({ dueAtMs: 77 }).dueAtMs).toBe(77);
    expectRefused(() => task({ delayMs: 1, dueAtMs: 1 }), "due_twice", /"a".*dueAtMs and delayMs/);
  });

  test("with a negative, endless or missing delay is refused", () => {
    for (const delayMs of [-1, Number.NaN, Infinity, 400 * 86_400_000]) {
      expectRefused(() => task({ delayMs }), "bad_delay", /delayMs is .* from 0 to/);
    }
  });

  test("with a payload beyond the limit is refused with its size", () => {
    const fits = "x".repeat(payloadBytesMax - 2);
    expect(task({ payload: fits }).payload).toHaveLength(payloadBytesMax);
    expectRefused(() => task({ payload: `${fits}x` }), "too_large", /task "a" has 262145 bytes/);
    // Bytes count, not characters.
    expectRefused(() => task({ payload: "é".repeat(payloadBytesMax / 2) }), "too_large", /bytes/);
  });

  test("with a payload that is not JSON is refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const throwing = {
      toJSON() {
        throw new TypeError("for the test");
      },
    };
    for (const payload of [() => 1, Symbol("s"), 10n, cycle, throwing]) {
      expectRefused(() => task({ payload }), "not_json", /payload of task "a" is not JSON/);
    }
  });

  test("with an empty, endless or odd name is refused", () => {
    for (const name of ["kind", "job"]) {
      expectRefused(() => task({ [name]: "" }), "bad_text", new RegExp(`${name} is empty`));
      expectRefused(() => task({ [name]: 7 }), "bad_text", new RegExp(`${name} is empty or not`));
      expectRefused(() => task({ [name]: "x".repeat(256) }), "too_long", /256 .* limit is 255/);
    }
    expectRefused(() => task({ key: "" }), "bad_text", /key is empty/);
    expectRefused(() => task({ key: "x".repeat(2_049) }), "too_long", /limit is 2048/);
    expect(task({ gate: "" }).gate).toBe("");
    expect(task({ key: "x".repeat(2_048) }).key).toHaveLength(2_048);
  });

  test("with control characters or half a character in a name is refused", () => {
    for (const bad of [
      "\u0000",
      "\n",
      "\t",
      "\u001f",
      "\u007f",
      "\ud83e",
      "\udd94",
      "\udd94\ud83e",
    ]) {
      for (const name of ["kind", "job", "gate", "key"]) {
        expectRefused(() => task({ [name]: `a${bad}b` }), "bad_text", /control character/);
      }
    }
    expect(task({ key: "a🦔b" }).key).toBe("a🦔b");
  });

  test("with a number that is not whole or out of range is refused", () => {
    for (const priority of [-1, 1_001, 0.5, Number.NaN, "500"]) {
      expectRefused(() => task({ priority }), "bad_number", /priority is .* 0–1000/);
    }
    for (const attemptsMax of [0, -1, 1_001, Number.NaN]) {
      expectRefused(() => task({ attemptsMax }), "bad_number", /attemptsMax is .* 1–1000/);
    }
    for (const dueAtMs of [-1, 0.5, Number.NaN, Infinity]) {
      expectRefused(() => task({ dueAtMs }), "bad_number", /dueAtMs/);
    }
  });

  test("property: what passes survives JSON and UTF-8 unchanged", () => {
    fc.assert(
      fc.property(anyText, (key) => {
        try {
          expect(task({ key }).key).toBe(Buffer.from(key, "utf8").toString("utf8"));
        } catch (error) {
          expect(error).toMatchObject({ kind: "invalid", code: "bad_text" });
        }
      }),
    );
  });
});

describe("a batch", () => {
  test("is bounded", () => {
    const many = Array.from({ length: addTasksMax + 1 }, () => ({ kind: "work" }));
    expectRefused(() => check.tasks(many), "too_many", /10001 tasks in one add/);
    expect(check.tasks(many.slice(1))).toHaveLength(addTasksMax);
  });

  test("may hold equal keys: the store answers duplicate", () => {
    expect(
      check.tasks([
        { kind: "work", key: "a" },
        { kind: "work", key: "a" },
      ]),
    ).toHaveLength(2);
  });

  test("with one bad task is refused whole", () => {
    const batch = [{ kind: "work" }, { kind: "" }];
    expectRefused(() => check.tasks(batch), "bad_text", /kind is empty/);
  });
});

describe("a claim", () => {
  test("gets defaults for what was left out", () => {
    expect(check.claim({ worker: "w", kinds: ["work"] })).toEqual({
      op: "claim",
      worker: "w",
      kinds: ["work"],
      limit: 1,
      burst: 50,
      leaseMs: 60_000,
      requestId: expect.any(String) as string,
    });
  });

  test("without a kind, a worker or a sane number is refused", () => {
    const claim = (more: Record<string, unknown>) => () =>
      check.claim({ worker: "w", kinds: ["work"], ...more });
    expectRefused(claim({ kinds: [] }), "no_kinds", /at least one kind/);
    expectRefused(claim({ kinds: [""] }), "bad_text", /kind is empty/);
    expectRefused(claim({ worker: "" }), "bad_text", /worker is empty/);
    expectRefused(claim({ limit: 0 }), "bad_number", /limit is 0/);
    expectRefused(claim({ burst: 1.5 }), "bad_number", /burst is 1.5/);
    expectRefused(claim({ leaseMs: 9 }), "bad_number", /leaseMs is 9/);
    expectRefused(claim({ leaseMs: Number.NaN }), "bad_number", /leaseMs is NaN/);
  });
});

describe("a finish", () => {
  const finish = (more: Partial<FinishInput>) =>
    check.finish({ id: 1, token: 2, outcome: { kind: "done" }, ...more });

  test("writes its result as JSON, and none as null", () => {
    expect(finish({}).outcome).toEqual({ kind: "done", result: null });
    const outcome = { kind: "done", result: { n: 1 } } as const;
    expect(finish({ outcome }).outcome).toEqual({ kind: "done", result: '{"n":1}' });
    const bad = { kind: "done", result: 1n } as const;
    expectRefused(() => finish({ outcome: bad }), "not_json", /the result is not JSON/);
  });

  test("never refuses a reason: it is cut and made storable", () => {
    const reasonOf = (reason: string) => {
      const { outcome } = finish({ outcome: { kind: "fail", reason } });
      return outcome.kind === "fail" ? outcome.reason : undefined;
    };
    expect(reasonOf("x".repeat(9_000))).toHaveLength(4_096);
    expect(reasonOf("a\u0000b\nc")).toBe("a\ufffdb\nc");
    expect(reasonOf(`${"x".repeat(4_095)}🦔`)).toBe(`${"x".repeat(4_095)}\ufffd`);
    expect(reasonOf("🦔 \udd94")).toBe("🦔 \ufffd");
    expect(reasonOf(undefined as unknown as string)).toBe("undefined");
  });

  test("with a negative delay or time since the start is refused", () => {
    const outcome = { kind: "retry", delayMs: -1, reason: "r" } as const;
    expectRefused(() => finish({ outcome }), "bad_delay", /delayMs is -1/);
    expectRefused(() => finish({ sinceStartMs: Number.NaN }), "bad_delay", /sinceStartMs is NaN/);
  });

  test("a fraction in the time since the start never opens a gate sooner", () => {
    expect(finish({ sinceStartMs: 12 }).sinceStartMs).toBe(12);
    expect(finish({ sinceStartMs: 12.7 }).sinceStartMs).toBe(12);
    expect(finish({ sinceStartMs: 0.3 }).sinceStartMs).toBe(0);
  });

  test("a fraction in a delay never makes a retry come sooner", () => {
    const outcome = { kind: "retry", delayMs: 12.1, reason: "r" } as const;
    expect(finish({ outcome }).outcome).toMatchObject({ delayMs: 13 });
  });

  test("checks what it adds and raises", () => {
    expectRefused(() => finish({ add: [{ kind: "" }] }), "bad_text", /kind/);
    expectRefused(() => finish({ raise: [{ key: "a", priority: 2_000 }] }), "bad_number", /2000/);
    expect("add" in finish({ add: [] })).toBe(false);
  });
});

describe("settings", () => {
  test("of a gate must be whole and in range", () => {
    expect(check.setGate("g", { delayMs: 5 })).toEqual({ op: "setGate", gate: "g", delayMs: 5 });
    expectRefused(() => check.setGate("", {}), "bad_text", /gate is empty/);
    expectRefused(() => check.setGate("g", { delayMs: -1 }), "bad_number", /delayMs is -1/);
    expectRefused(() => check.setGate("g", { limit: 0 }), "bad_number", /limit is 0/);
  });

  test("of a job must be whole and in range; what is left out has no limit", () => {
    expect(check.openJob("j", {})).toEqual({
      op: "openJob",
      job: "j",
      concurrency: null,
      budget: null,
      gate: "",
    });
    expectRefused(() => check.openJob("j", { concurrency: 0 }), "bad_number", /concurrency is 0/);
    expectRefused(() => check.openJob("j", { budget: -1 }), "bad_number", /budget is -1/);
  });

  test("of a listing are bounded", () => {
    expect(check.browse({})).toEqual({ afterId: 0, limit: 100 });
    expectRefused(() => check.browse({ limit: 10_001 }), "bad_number", /limit is 10001/);
  });
});

describe("jobs and retries", () => {
  test("the default job is never sealed or cancelled, any other is", () => {
    expectRefused(() => check.endingJob("default"), "default_job", /pause it/);
    expect(check.endingJob("crawl")).toBe("crawl");
  });

  test("the moment of a filter is made whole, and takes the same tasks", () => {
    const before = (finishedBeforeMs: number) =>
      check.finished({ finishedBeforeMs }).finishedBeforeMs;
    expect(before(7)).toBe(7);
    expect(before(7.2)).toBe(8); // what finished at 7 had finished before 7.2
    expect(before(-5)).toBe(-5);
    expect(before(1e300)).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("only what failed or was skipped is retried", () => {
    expectRefused(() => check.retried({ states: ["failed", "done"] }), "retry_done", /done/);
    expect(check.retried({})).toEqual({ states: ["failed"] });
  });
});
