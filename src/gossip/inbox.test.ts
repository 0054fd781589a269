import { describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createCounting } from "./counters.ts";
import { createInbox } from "./inbox.ts";
import { limits } from "./limits.ts";
import { createMemoryReplica } from "./testing/memory-replica.ts";

function fixture() {
  const clock = createTestClock();
  const replica = createMemoryReplica();
  const counting = createCounting();
  const inbox = createInbox({ replica, clock, log: silentLogger, counting, changed: () => {} });
  const take = (origin: string, from: number, sizes: readonly number[]) =>
    inbox.take({ origin, from, records: sizes.map((size) => new Uint8Array(size)) });
  const dropped = () =>
    counting.read({ sendErrors: 0, waitingRecords: 0, waitingBytes: 0, wanted: 0, contacts: 0 })
      .droppedByReason;
  return { clock, replica, inbox, take, dropped };
}

describe("the inbox", () => {
  test("keeps within its bytes: the later half of what waits most gives way", async () => {
    const { inbox, take, dropped, replica } = fixture();
    const size = 2 ** 20;
    for (let number = 2; number <= 60; number++) take("a/1", number, [size]);
    expect(inbox.waiting().bytes).toBeLessThanOrEqual(limits.waitingBytesMax);
    expect(dropped().overflow).toBeGreaterThan(0);
    take("b/1", 2, [size]); // another one is not kept out
    expect(inbox.hasHole("b/1", 2)).toBe(true);
    take("a/1", 1, [10]); // and what fills the hole comes in
    await inbox.idle();
    expect(replica.vector().get("a/1")).toBeGreaterThan(10);
    expect(inbox.waiting().bytes).toBe(size);
  });

  test("keeps within its count, also of records that have no bytes", () => {
    const { inbox, take } = fixture();
    const none = Array.from({ length: 1_000 }, () => 0);
    for (let at = 0; at < 80; at++) take(`a${at}/1`, 2, none);
    expect(inbox.waiting().records).toBeLessThanOrEqual(limits.waitingRecordsMax);
  });

  test("reports what is missing, span by span", () => {
    const { inbox, take } = fixture();
    take("a/1", 3, [1, 1]);
    take("a/1", 7, [1]);
    expect(inbox.gaps("a/1", 9)).toEqual([
      { from: 1, to: 2 },
      { from: 5, to: 6 },
      { from: 8, to: 9 },
    ]);
    expect(inbox.gaps("b/1", 2)).toEqual([{ from: 1, to: 2 }]);
  });

  test("stores what waited once the hole was filled by another way, such as the bucket", async () => {
    const { inbox, take, replica } = fixture();
    take("a/1", 2, [1]);
    await replica.receive({ origin: "a/1", from: 1, records: [new Uint8Array(1)] });
    inbox.tidy();
    await inbox.idle();
    expect(replica.vector().get("a/1")).toBe(2);
    expect(inbox.waiting()).toEqual({ records: 0, bytes: 0 });
  });

  test("does not wait for ever", async () => {
    const { inbox, take, clock } = fixture();
    take("a/1", 2, [100]);
    await clock.advance(limits.waitingMs);
    inbox.tidy();
    expect(inbox.waiting().records).toBe(1);
    await clock.advance(1);
    inbox.tidy();
    expect(inbox.waiting()).toEqual({ records: 0, bytes: 0 });
  });
});
