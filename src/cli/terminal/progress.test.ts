import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createProgress } from "./progress.ts";
import { createTestStream } from "../testing/test-stream.ts";

const escape = "\u001b";

function open({ isTTY = false, isQuiet = false, columns = 80 } = {}) {
  const clock = createTestClock();
  const stderr = createTestStream({ isTTY, columns });
  return { clock, stderr, progress: createProgress({ stderr, clock, isQuiet }) };
}

test("a terminal is redrawn ten times a second at most, however fast the work", async () => {
  const { clock, stderr, progress } = open({ isTTY: true });
  const task = progress.start({ label: "tasks", total: 1000 });
  for (let ms = 0; ms < 1000; ms++) {
    task.advance();
    await clock.advance(1);
  }
  expect(stderr.writes.length).toBeGreaterThanOrEqual(10);
  expect(stderr.writes.length).toBeLessThanOrEqual(11);
  expect(stderr.writes.every((write) => write.startsWith("\r"))).toBe(true);
});

test("the bar shows share, rate and time left", async () => {
  const { clock, stderr, progress } = open({ isTTY: true });
  const task = progress.start({ label: "tasks", total: 400 });
  await clock.advance(10_000);
  task.advance(100);
  await clock.advance(100);
  expect(stderr.writes.at(-1)).toContain("tasks [#####---------------] 100/400 25% 9.9/s 30s left");
});

test("work that stalls still shows that time passes", async () => {
  const { clock, stderr, progress } = open({ isTTY: true });
  progress.start({ label: "tasks" });
  await clock.advance(65_000);
  expect(stderr.writes.at(-1)).toContain("1m05s");
});

test("a bar never wraps, so that redrawing stays on one line", async () => {
  const { clock, stderr, progress } = open({ isTTY: true, columns: 30 });
  const task = progress.start({ label: "tasks", total: 10 });
  task.note("a very long text\nabout what is being done just now");
  await clock.advance(100);
  for (const write of stderr.writes) {
    const shown = write.replace("\r", "").replace(`${escape}[K`, "");
    expect(shown.length).toBeLessThan(30);
    expect(shown).not.toContain("\n");
  }
});

test("a terminal that says it is 0 columns wide gets a bar all the same", () => {
  const { stderr, progress } = open({ isTTY: true, columns: 0 });
  progress.start({ label: "tasks", total: 10 });
  expect(stderr.text()).toContain("tasks [");
});

test("without a terminal there is a plain line every five seconds and one at the end", async () => {
  const { clock, stderr, progress } = open();
  const task = progress.start({ label: "tasks", total: 120 });
  for (let second = 0; second < 12; second++) {
    task.advance(10);
    await clock.advance(1_000);
  }
  task.done("all done");
  expect(stderr.writes).toEqual([
    "tasks [########------------] 50/120 41% 10/s 7s left 5s\n",
    "tasks [################----] 100/120 83% 10/s 2s left 10s\n",
    "tasks [####################] 120/120 100% 10/s 12s · all done\n",
  ]);
});

test("after done nothing is written and no timer is left", async () => {
  const { clock, stderr, progress } = open({ isTTY: true });
  const task = progress.start({ label: "tasks" });
  task.done();
  const { length } = stderr.writes;
  expect(stderr.text().endsWith("\n")).toBe(true);
  task.done();
  task.advance();
  await clock.advance(10_000);
  expect(stderr.writes.length).toBe(length);
  expect(clock.pendingTimers()).toBe(0);
});

test("--quiet is silent", async () => {
  const { clock, stderr, progress } = open({ isTTY: true, isQuiet: true });
  const task = progress.start({ label: "tasks", total: 2 });
  task.advance();
  task.note("here");
  await clock.advance(10_000);
  task.done("done");
  expect(stderr.text()).toBe("");
  expect(clock.pendingTimers()).toBe(0);
});

test("bytes are shown as megabytes", async () => {
  const { clock, stderr, progress } = open({ isTTY: true });
  const task = progress.start({ label: "read", total: 40_000_000, unit: "bytes" });
  await clock.advance(10_000);
  task.advance(10_000_000);
  await clock.advance(100);
  expect(stderr.writes.at(-1)).toContain("] 10.0MB/40.0MB 25% 1.0MB/s 30s left");
});
