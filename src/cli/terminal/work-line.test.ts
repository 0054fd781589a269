import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { QueueStats } from "../../queue/index.ts";
import { createProgress } from "./progress.ts";
import { followWork, workLine } from "./work-line.ts";

const reason = (name: QueueStats["reasons"][number]["reason"], count: number) => ({
  reason: name,
  count,
  share: 0,
  oldestAgeMs: 0,
});
const stats = {
  states: { pending: 1_200, running: 4, done: 0, skipped: 0, failed: 0 },
  reasons: [reason("paused", 0), reason("domain_delay", 1_150), reason("worker_capacity", 50)],
} as unknown as QueueStats;

test("the line says what failed, what was found, what is left and why it waits", () => {
  expect(workLine({ failed: 3, contacts: 45 }, stats)).toBe(
    "3 failed, 45 contacts, 1,204 left (1,150 wait for their host, 50 ready)",
  );
  expect(workLine({ failed: 0, contacts: 0 }, undefined)).toBe("");
});

test("on a terminal the line is drawn while work continues; elsewhere nothing is", async () => {
  const clock = createTestClock();
  const summary = {
    done: 10,
    skipped: 0,
    retried: 0,
    failed: 1,
    released: 0,
    lost: 0,
    contacts: 7,
    releasedKinds: [],
    visits: [],
  };
  const draw = async (isTTY: boolean) => {
    const written: string[] = [];
    const stderr = { isTTY, columns: 200, write: (text: string) => void written.push(text) };
    const progress = createProgress({ stderr, clock, isQuiet: false });
    const line = followWork(
      { summary: () => summary, queueStats: () => stats },
      { progress, clock },
    );
    await clock.advance(2_000);
    const drawn = written.join("");
    line.stop();
    return drawn;
  };
  const drawn = await draw(true);
  expect(drawn).toContain("11/1215");
  expect(drawn).toContain("1 failed, 7 contacts, 1,204 left");
  expect(await draw(false)).toBe("");
});
