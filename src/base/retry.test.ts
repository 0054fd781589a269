import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError, type ErrorKind } from "./app-error.ts";
import { createSeededRandom, type Random } from "./random.ts";
import { retry, type RetryOptions } from "./retry.ts";
import { createTestClock, type TestClock } from "./testing/test-clock.ts";

const down = (cause?: unknown) =>
  new AppError("unavailable", "bucket_down", "the bucket does not answer", { cause });

const options = (clock: TestClock, changes: Partial<RetryOptions> = {}): RetryOptions => ({
  clock,
  random: createSeededRandom(1),
  attempts: 5,
  delayMs: 100,
  delayMsMax: 10_000,
  ...changes,
});

/** Random at its upper end, so that every wait is as long as it can be. */
const longest: Random = { ...createSeededRandom(1), next: () => 1 - 2 ** -32 };

describe("retry", () => {
  test("runs an operation that succeeds once, and passes its result on", async () => {
    const attempts: number[] = [];
    const operation = async (attempt: number) => `result ${attempts.push(attempt)}`;
    expect(await retry(operation, options(createTestClock()))).toBe("result 1");
    expect(attempts).toEqual([1]);
  });

  test("tries again while it is unavailable", async () => {
    const clock = createTestClock();
    const attempts: number[] = [];
    const result = retry(async (attempt) => {
      attempts.push(attempt);
      if (attempt < 4) throw down();
      return "up";
    }, options(clock));
    await clock.advance(100_000);
    expect(await result).toBe("up");
    expect(attempts).toEqual([1, 2, 3, 4]);
  });

  test("after the last attempt the last error is thrown unchanged, with its cause", async () => {
    const clock = createTestClock();
    const errors = [1, 2, 3].map((attempt) => down(new Error(`cause ${attempt}`)));
    const result = retry(
      async (attempt) => {
        throw errors[attempt - 1]!;
      },
      options(clock, { attempts: 3 }),
    );
    const failure = result.catch((error: unknown) => error);
    await clock.advance(100_000);
    expect(await failure).toBe(errors[2]);
    expect(errors[2]!.cause).toEqual(new Error("cause 3"));
    expect(clock.pendingTimers()).toBe(0);
  });

  const others: ErrorKind[] = ["invalid", "conflict", "corrupt", "aborted", "internal"];
  test.each([
    ...others.map((kind) => [kind, new AppError(kind, "some_code", "no")] as const),
    ["not an AppError", new TypeError("undefined is not a function")] as const,
  ])("an error that is %s passes at once", async (_name, error) => {
    const clock = createTestClock();
    let attempts = 0;
    const operation = async () => {
      attempts++;
      throw error;
    };
    await expect(retry(operation, options(clock))).rejects.toBe(error);
    expect([attempts, clock.pendingTimers()]).toEqual([1, 0]);
  });

  test("waits at most twice as long each time, up to the longest", async () => {
    const clock = createTestClock();
    const triedAtMs: number[] = [];
    const result = retry(
      async () => {
        triedAtMs.push(Math.round(clock.monotonicMs()));
        throw down();
      },
      options(clock, { attempts: 6, delayMsMax: 500, random: longest }),
    ).catch(() => {});
    await clock.advance(100_000);
    await result;
    expect(triedAtMs).toEqual([0, 100, 300, 700, 1200, 1700]);
  });

  test("full jitter: waits spread evenly from nothing to the longest", async () => {
    const random = createSeededRandom(3);
    const waitsMs: number[] = [];
    for (let turn = 0; turn < 400; turn++) {
      const clock = createTestClock();
      const result = retry(
        async (attempt) => {
          if (attempt === 1) throw down();
          waitsMs.push(clock.monotonicMs());
        },
        options(clock, { random }),
      );
      await clock.advance(100);
      await result;
    }
    const inTenth = (tenth: number) =>
      waitsMs.filter((waitMs) => Math.floor(waitMs / 10) === tenth).length;
    for (let tenth = 0; tenth < 10; tenth++) expect(inTenth(tenth)).toBeGreaterThan(15);
    expect(waitsMs).toHaveLength(400);
  });

  test("attempts and waits are bounded whatever the settings", async () => {
    const settings = fc.record({
      attempts: fc.integer({ min: 1, max: 12 }),
      delayMs: fc.nat(1000),
      extraMs: fc.nat(5000),
      seed: fc.integer(),
    });
    await fc.assert(
      fc.asyncProperty(settings, async ({ attempts, delayMs, extraMs, seed }) => {
        const clock = createTestClock();
        const delayMsMax = delayMs + extraMs;
        const triedAtMs: number[] = [];
        const result = retry(
          async () => {
            triedAtMs.push(clock.monotonicMs());
            throw down();
          },
          options(clock, { attempts, delayMs, delayMsMax, random: createSeededRandom(seed) }),
        ).catch(() => {});
        await clock.advance(attempts * delayMsMax);
        await result;
        expect(triedAtMs).toHaveLength(attempts);
        triedAtMs.slice(1).forEach((atMs, index) => {
          const waitMsMax = Math.min(delayMsMax, delayMs * 2 ** index);
          expect(atMs - triedAtMs[index]!).toBeLessThanOrEqual(waitMsMax);
        });
      }),
      { numRuns: 50 },
    );
  });

  test("settings that make no sense are a bug", async () => {
    const clock = createTestClock();
    const run = (changes: Partial<RetryOptions>) => retry(async () => {}, options(clock, changes));
    await expect(run({ attempts: 0 })).rejects.toThrow("bug: attempts is 0");
    await expect(run({ delayMs: 200, delayMsMax: 100 })).rejects.toThrow("bug: delays of 200");
  });
});

describe("an abort", () => {
  test("before the start: the operation does not run", async () => {
    let attempts = 0;
    const result = retry(
      async () => attempts++,
      options(createTestClock(), { signal: AbortSignal.abort() }),
    );
    await expect(result).rejects.toMatchObject({ kind: "aborted", code: "retry_aborted" });
    expect(attempts).toBe(0);
  });

  test("during a wait ends it at once, with the failure that was waited out", async () => {
    const clock = createTestClock();
    const abort = new AbortController();
    const failure = down();
    let attempts = 0;
    const result = retry(
      async () => {
        attempts++;
        throw failure;
      },
      options(clock, { signal: abort.signal, random: longest }),
    );
    await clock.advance(50);
    abort.abort();
    await expect(result).rejects.toMatchObject({ kind: "aborted", cause: failure });
    await clock.advance(100_000);
    expect([attempts, clock.pendingTimers()]).toEqual([1, 0]);
  });

  test("during an attempt that ignores it ends the call at once", async () => {
    const abort = new AbortController();
    const reason = new Error("shutting down");
    let end: (error: Error) => void = () => {};
    const result = retry(
      () => new Promise((_resolve, reject) => (end = reject)),
      options(createTestClock(), { signal: abort.signal }),
    );
    abort.abort(reason);
    await expect(result).rejects.toMatchObject({ kind: "aborted", cause: reason });
    end(new Error("too late, and no unhandled rejection"));
  });

  test("reaches the operation, and no listener stays on a signal that never fires", async () => {
    const clock = createTestClock();
    const { signal } = new AbortController();
    let seen: AbortSignal | undefined;
    const result = retry(
      (attempt, attemptSignal) => {
        seen = attemptSignal;
        if (attempt < 3) throw down(); // synchronously: that too must not leak
        return Promise.resolve("up");
      },
      options(clock, { signal }),
    );
    await clock.advance(100_000);
    expect(await result).toBe("up");
    expect(seen).toBe(signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
