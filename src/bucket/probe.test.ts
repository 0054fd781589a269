import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "./adapters/memory/memory-bucket.ts";
import { createPersonality, personalities } from "./testing/personality.ts";
import { unknownOutcome } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";
import { probeBucket, requireFitBucket } from "./probe.ts";

const random = createSeededRandom(5);

/** Lets a probe of a bucket run to its end in virtual time. */
async function inTime<T>(run: (clock: ReturnType<typeof createTestClock>) => Promise<T>) {
  const clock = createTestClock();
  const running = run(clock);
  let isOver = false;
  void running.finally(() => (isOver = true)).catch(() => {});
  while (!isOver) await clock.advance(500);
  return running;
}

const failuresOf = (steps: readonly { state: string; name: string }[]) =>
  steps.filter(({ state }) => state !== "ok").map(({ name, state }) => `${name}: ${state}`);

describe("the probe", () => {
  test.each(personalities.filter((name) => name !== "ignores-conditions"))(
    "%s is fit, whatever answers it loses",
    async (name) => {
      const faults = { lostRead: 0.05 };
      const report = await inTime((clock) =>
        probeBucket({
          bucket: createPersonality(name, { clock, random, faults })(),
          clock,
          random,
        }),
      );
      expect(failuresOf(report.steps)).toEqual([]);
      expect(report.isFit).toBe(true);
    },
  );

  test("O10, lesson 30: a store that ignores conditions is refused, with the reason", async () => {
    const refused = inTime((clock) =>
      requireFitBucket({
        bucket: createPersonality("ignores-conditions", { clock, random })(),
        clock,
        random,
      }),
    );
    await expect(refused).rejects.toMatchObject({ kind: "invalid", code: "bucket_unfit" });
    await expect(refused).rejects.toThrow(/If-None-Match is ignored.*32 of 32 racers won/);
  });

  test("a store that checks, then writes, passes one by one and fails the race", async () => {
    const report = await inTime((clock) => {
      const memory = createMemoryBucket({ clock });
      const bucket: Bucket = {
        ...memory,
        async putIfAbsent(key, body) {
          if ((await memory.get(key)).status === "found") return { status: "exists" };
          return { status: "created", ...(await memory.put(key, body)) };
        },
        async putIfMatch(key, body, etag) {
          const got = await memory.get(key);
          if (got.status !== "found" || got.etag !== etag) return { status: "stale" };
          return { status: "written", ...(await memory.put(key, body)) };
        },
      };
      return probeBucket({ bucket, clock, random });
    });
    expect(failuresOf(report.steps)).toEqual(["race to create: fail", "race to update: fail"]);
  });

  test("names missing rights, and the rest is still tried", async () => {
    const forbidden = async () => {
      throw new AppError("invalid", "bucket_forbidden", "no right to do this: grant it");
    };
    const probe = (change: Partial<Bucket>) =>
      inTime((clock) =>
        probeBucket({ bucket: { ...createMemoryBucket({ clock }), ...change }, clock, random }),
      );
    const noList = await probe({ list: forbidden });
    expect(failuresOf(noList.steps)).toEqual(["list after put: forbidden"]);
    const noDelete = await probe({ delete: forbidden });
    expect(failuresOf(noDelete.steps)).toEqual(["delete: forbidden"]);
    const noRead = await probe({ get: forbidden });
    expect(noRead.isFit).toBe(false);
    expect(failuresOf(noRead.steps)).toContain("reject create: forbidden");
  });

  test("a store without conditional writes is unfit, not broken", async () => {
    const unsupported = async () => {
      throw new AppError("invalid", "bucket_unsupported", "does not support conditional writes");
    };
    const report = await inTime((clock) => {
      const bucket = { ...createMemoryBucket({ clock }), putIfAbsent: unsupported };
      return probeBucket({ bucket, clock, random });
    });
    expect(failuresOf(report.steps)).toContain("create: fail");
    expect(report.isFit).toBe(false);
  });

  test("a store that never answers clearly is not trusted", async () => {
    const vague = async (key: string) => {
      throw unknownOutcome(key, "500 UnknownError");
    };
    const report = await inTime((clock) => {
      const bucket = { ...createMemoryBucket({ clock }), putIfMatch: vague };
      return probeBucket({ bucket, clock, random });
    });
    expect(failuresOf(report.steps)).toEqual([
      "update: unknown",
      "reject stale: unknown",
      "race to update: unknown",
    ]);
  });

  test("leaves nothing behind", async () => {
    const left = await inTime(async (clock) => {
      const bucket = createMemoryBucket({ clock });
      await probeBucket({ bucket, clock, random });
      return bucket.list("");
    });
    expect(left).toEqual([]);
  });

  test("throws where nothing can be tried", async () => {
    const refused = inTime((clock) => {
      const wrong = async () => {
        throw new AppError("invalid", "bucket_credentials", "wrong credentials");
      };
      const bucket = { ...createMemoryBucket({ clock }), putIfAbsent: wrong };
      return probeBucket({ bucket, clock, random });
    });
    await expect(refused).rejects.toMatchObject({ code: "bucket_credentials" });
  });
});
