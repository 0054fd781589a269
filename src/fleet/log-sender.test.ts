import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createMeter } from "../bucket/index.ts";
import { createLogSender, logKey } from "./log-sender.ts";

const node = "0000000000001";

function createPlace() {
  const clock = createTestClock();
  const meter = createMeter();
  const bucket = meter.meter(createMemoryBucket({ clock }), "node");
  const lines: string[] = [];
  const sender = createLogSender({
    bucket,
    key: () => logKey(node),
    mark: () => (lines.length === 0 ? "" : String(lines.length)),
    read: ({ linesMax }) => lines.slice(-linesMax),
    clock,
    log: silentLogger,
  });
  const text = async () => {
    const got = await bucket.get(logKey(node));
    return got.status === "found" ? Buffer.from(got.body).toString() : undefined;
  };
  return { clock, sender, lines, text, puts: () => meter.usage().put.requests };
}

test("at most once a minute, and only when there is something new", async () => {
  const { clock, sender, lines, text, puts } = createPlace();
  await sender.start();
  await clock.advance(3_600_000);
  expect(puts()).toBe(0);
  lines.push("{1}");
  await clock.advance(60_000);
  expect(await text()).toBe("{1}\n");
  await clock.advance(3_600_000);
  expect(puts()).toBe(1);
  for (let second = 0; second < 600; second++) {
    lines.push(`{${second}}`);
    await clock.advance(1_000);
  }
  expect(puts()).toBeLessThanOrEqual(11);
  await sender.stop();
  expect(await text()).toContain("{599}");
});

test("at once and every two seconds while somebody follows, but not for ever", async () => {
  const { clock, sender, lines, text, puts } = createPlace();
  await sender.start();
  lines.push("{1}");
  sender.sendUntil(clock.nowMs() + 30_000);
  await clock.advance(0);
  expect(await text()).toBe("{1}\n");
  lines.push("{2}");
  await clock.advance(2_000);
  expect(await text()).toBe("{1}\n{2}\n");
  await clock.advance(60_000);
  sender.sendUntil(clock.nowMs() + 1e12);
  for (let second = 0; second < 3_600; second++) {
    lines.push(`{${second}}`);
    await clock.advance(1_000);
  }
  expect(puts()).toBeLessThan(2 + 300 + 55);
  await sender.stop();
});

test("the newest lines that have room, whole", async () => {
  const { clock, sender, lines, text } = createPlace();
  for (let at = 0; at < 500; at++) lines.push(`{"at":${at},"text":"${"x".repeat(1_000)}"}`);
  await sender.start();
  await clock.advance(60_000);
  const sent = (await text())!.trimEnd().split("\n");
  expect(sent.length).toBeLessThan(130);
  expect(sent.map((one) => (JSON.parse(one) as { at: number }).at).at(-1)).toBe(499);
  await sender.stop();
});
