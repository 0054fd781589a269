import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { liveTopics, type LiveEvent, type LiveTopic } from "../contract/event-routes.ts";
import { createLiveHubOf, viewersMax } from "./live-hub.ts";
import type { LiveSources } from "./live-source.ts";

interface Got {
  readonly id: string | undefined;
  readonly event: LiveEvent;
}

/** Values that the test sets; counts how often each is read. */
function setUp() {
  const clock = createTestClock();
  const reads = new Map<LiveTopic, number>();
  const values = new Map<LiveTopic, object | Error>();
  const sources = Object.fromEntries(
    liveTopics.map((topic) => [
      topic,
      {
        async read() {
          reads.set(topic, (reads.get(topic) ?? 0) + 1);
          const value = values.get(topic) ?? { version: "1", companies: 0 };
          if (value instanceof Error) throw value;
          return value;
        },
        everyMs: () => 1_000,
      },
    ]),
  ) as unknown as LiveSources;
  const services = { clock, random: createSeededRandom(1), log: silentLogger };
  const hub = createLiveHubOf(services, sources);
  const watch = (topics: readonly LiveTopic[], lastEventId?: string, user = "ann") => {
    const reader = hub.open({ topics, lastEventId, user }).getReader();
    const decoder = new TextDecoder();
    return {
      reader,
      /** Returns the next event; comments are skipped. */
      async next(): Promise<Got> {
        const { value } = await reader.read();
        const text = decoder.decode(value);
        if (text.startsWith(":")) return this.next();
        const [, id] = /^id: (.*)$/m.exec(text) ?? [];
        return { id, event: JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as LiveEvent };
      },
      leave: () => reader.cancel(),
    };
  };
  const set = (topic: LiveTopic, value: object | Error) => void values.set(topic, value);
  const settle = (ms: number) => clock.advance(ms);
  return { hub, watch, set, settle, readsOf: (topic: LiveTopic) => reads.get(topic) ?? 0 };
}

test("a viewer gets a snapshot, then the fields that change", async () => {
  const { watch, set, settle } = setUp();
  set("records", { version: "1", companies: 3 });
  const viewer = watch(["records"]);
  const first = await viewer.next();
  expect(first.event).toEqual({
    kind: "snapshot",
    topic: "records",
    value: { version: "1", companies: 3 },
  });
  set("records", { version: "2", companies: 3 });
  await settle(1_000);
  const second = await viewer.next();
  expect(second.event).toEqual({ kind: "delta", topic: "records", fields: { version: "2" } });
  expect(second.id).not.toBe(first.id);
});

test("one watcher reads a source for all viewers, and none while there is no viewer", async () => {
  const { hub, watch, settle, readsOf } = setUp();
  await settle(10_000);
  expect(liveTopics.map(readsOf)).toEqual(liveTopics.map(() => 0));
  const viewers = Array.from({ length: 300 }, () => watch(["records"]));
  for (const viewer of viewers) expect((await viewer.next()).event.kind).toBe("snapshot");
  expect(readsOf("records")).toBe(1);
  await settle(1_000);
  expect(readsOf("records")).toBe(2);
  expect(readsOf("status")).toBe(0);
  for (const viewer of viewers) await viewer.leave();
  expect(hub.viewers()).toBe(0);
  await settle(60_000);
  expect(readsOf("records")).toBe(2);
});

test("a viewer that comes back gets what it missed, also when nobody watched meanwhile", async () => {
  const { watch, set, settle } = setUp();
  set("records", { version: "1", companies: 1 });
  const other = watch(["records"]);
  const viewer = watch(["records"]);
  const { id } = await viewer.next();
  await viewer.leave();
  set("records", { version: "2", companies: 1 });
  await settle(1_000);
  await other.leave();
  set("records", { version: "3", companies: 2 });
  const again = watch(["records"], id);
  expect((await again.next()).event).toMatchObject({ kind: "delta", fields: { version: "2" } });
  expect((await again.next()).event).toEqual({
    kind: "delta",
    topic: "records",
    fields: { version: "3", companies: 2 },
  });
});

test.each([
  ["of another run of the server", () => "abcdefghij.0.4"],
  ["that no event had", (id: string) => id.replace(/\.\d+\./, ".999.")],
  ["of other topics", (id: string) => id.replace(/\d+$/, "1")],
  ["that is none", () => "1; drop table"],
])("an id %s means a reset and snapshots", async (_, change) => {
  const { watch } = setUp();
  const viewer = watch(["records"]);
  const { id } = await viewer.next();
  const again = watch(["records"], change(id!));
  expect((await again.next()).event.kind).toBe("reset");
  expect((await again.next()).event.kind).toBe("snapshot");
});

test("events have no id before a viewer has all its snapshots", async () => {
  const { watch, set, settle } = setUp();
  set("status", new AppError("unavailable", "away", "the bucket does not answer"));
  const viewer = watch(["records", "status"]);
  const first = await viewer.next();
  expect([first.event.kind, first.id]).toEqual(["snapshot", undefined]);
  expect((await viewer.next()).event).toEqual({
    kind: "fault",
    topic: "status",
    detail: "the bucket does not answer",
  });
  set("status", { atMs: 1 });
  await settle(1_000);
  const last = await viewer.next();
  expect(last.event).toMatchObject({ kind: "snapshot", topic: "status" });
  expect(last.id).toBeDefined();
});

test("after a fault the next event of the topic says that it is over, also if nothing has changed", async () => {
  const { watch, set, settle } = setUp();
  const viewer = watch(["records"]);
  expect((await viewer.next()).event.kind).toBe("snapshot");
  set("records", new AppError("unavailable", "away", "the ledger does not answer"));
  await settle(1_000);
  expect((await viewer.next()).event.kind).toBe("fault");
  set("records", { version: "1", companies: 0 });
  await settle(1_000);
  const over = viewer.next();
  await settle(15_000);
  expect((await over).event).toEqual({ kind: "delta", topic: "records", fields: {} });
});

test("a slow viewer costs bounded memory, and gets a reset and the newest value", async () => {
  const { watch, set, settle } = setUp();
  set("campaigns", { rows: "x".repeat(100_000) });
  const slow = watch(["campaigns"]);
  const fast = watch(["campaigns"]);
  await fast.next();
  for (let at = 0; at < 30; at++) {
    set("campaigns", { rows: `${at}${"x".repeat(100_000)}` });
    await settle(1_000);
    expect((await fast.next()).event.kind).toBe("delta");
  }
  const kinds: string[] = [];
  let last: LiveEvent | undefined;
  while (kinds.at(-2) !== "reset") {
    last = (await slow.next()).event;
    kinds.push(last.kind);
  }
  expect(kinds.length).toBeLessThan(10);
  expect(last).toMatchObject({ kind: "snapshot", value: { rows: expect.stringMatching(/^29x/) } });
});

test("a viewer that reads nothing for a minute is ended", async () => {
  const { hub, watch, set, settle } = setUp();
  watch(["campaigns"]);
  for (let at = 0; at < 100; at++) {
    set("campaigns", { rows: `${at}${"x".repeat(100_000)}` });
    await settle(1_000);
  }
  expect(hub.viewers()).toBe(0);
});

test("more viewers than there may be are refused with a reason", () => {
  const { watch } = setUp();
  for (let at = 0; at < viewersMax; at++) watch(["records"]);
  expect(() => watch(["records"])).toThrow("connections watch already");
});

test("somebody who takes all places gives one up for each other person, but never more than a fair share", () => {
  const { hub, watch } = setUp();
  for (let at = 0; at < viewersMax; at++) watch(["records"]);
  const others = viewersMax / 2;
  for (let at = 0; at < others; at++) watch(["queue"], undefined, "bob");
  expect(hub.viewers()).toBe(viewersMax);
  expect(() => watch(["queue"], undefined, "bob")).toThrow(`${viewersMax} connections watch already`); // prettier-ignore
  expect(() => watch(["queue"])).toThrow(`${viewersMax} connections watch already`);
  watch(["queue"], undefined, "cleo");
  expect(hub.viewers()).toBe(viewersMax);
});
