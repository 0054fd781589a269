import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "./adapters/memory/memory-bucket.ts";
import { unknownOutcome } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";
import { createSharedObject } from "./shared-object.ts";
import { bytes, textOf } from "./testing/suite-fixture.ts";

function setUp() {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  const memory = createMemoryBucket({ clock });
  const open = (session: string, bucket: Bucket = memory) =>
    createSharedObject<{ readonly count: number }>({ bucket, key: "n", session, clock, random });
  const settle = async <T>(work: Promise<T>) => {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => {});
    while (!isOver) await clock.advance(100);
    return work;
  };
  return { clock, memory, open, settle };
}
const raise = (value: { readonly count: number } | undefined) => ({
  count: (value?.count ?? 0) + 1,
});

describe("a shared object", () => {
  test("is changed by all, each change once", async () => {
    const { open, settle } = setUp();
    const sessions = ["a", "b", "c"].map((session) => open(session));
    await settle(
      Promise.all(sessions.flatMap((object) => [object.change(raise), object.change(raise)])),
    );
    expect(await sessions[0]!.read()).toEqual({ count: 6 });
  });

  test("a value that comes back as it was is not written", async () => {
    const { open, memory } = setUp();
    const object = open("a");
    await object.change(raise);
    const before = await textOf(memory, "n");
    expect(await object.change((value) => value!)).toEqual({ count: 1 });
    expect(await textOf(memory, "n")).toBe(before);
  });

  test("an own commit is recognised though another has built on it", async () => {
    const { open, memory, settle } = setUp();
    let isFirst = true;
    const lossy: Bucket = {
      ...memory,
      async putIfAbsent(key, body) {
        const answer = await memory.putIfAbsent(key, body);
        if (!isFirst) return answer;
        isFirst = false;
        await open("b").change(raise); // before a can look, b has been there
        throw unknownOutcome(key, "connection reset");
      },
    };
    expect(await settle(open("a", lossy).change(raise))).toEqual({ count: 1 });
    expect(await open("c").read()).toEqual({ count: 2 });
  });

  test("forgets sessions after an hour", async () => {
    const { open, clock, memory } = setUp();
    await open("a").change(raise);
    await clock.advance(3_602_000);
    await open("b").change(raise);
    expect(JSON.parse(await textOf(memory, "n"))).toMatchObject({
      format: 1,
      commits: { b: { number: 1 } },
      value: { count: 2 },
    });
    expect(await textOf(memory, "n")).not.toContain('"a"');
  });

  test("leaves alone what is not ours, or newer", async () => {
    const { open, memory } = setUp();
    for (const [text, code] of [
      ["hello", "shared_object_corrupt"],
      ['{"format":1}', "shared_object_corrupt"],
      ['{"format":2}', "shared_object_newer"],
    ] as const) {
      await memory.put("n", bytes(text));
      await expect(open("a").change(raise)).rejects.toMatchObject({ code });
      expect(await textOf(memory, "n")).toBe(text);
    }
  });
});
