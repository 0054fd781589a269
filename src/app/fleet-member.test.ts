import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openKeptLog } from "../base/kept-log.ts";
import { silentLogger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { createTestClock, type TestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createPaths } from "../config/index.ts";
import { logKey } from "../fleet/index.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { createFleetMember } from "./fleet-member.ts";

/** Two processes of one data folder, as far as one process can play both. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-member-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const ledger = await openTestLedger({ clock, random: systemRandom });
  const puts: string[] = [];
  const open = (name: string, isKeeper: () => boolean) =>
    createFleetMember({
      paths,
      ledger,
      bucket: {
        ...bucket,
        put: async (key, body) => (puts.push(`${name} ${key}`), bucket.put(key, body)),
      },
      isKeeper,
      version: "0",
      label: name,
      pid: process.pid,
      clock,
      random: systemRandom,
      log: silentLogger,
    });
  const kept = openKeptLog({ folder: paths.logs(), name: "1" });
  const write = () => kept.write(`{"time":"${new Date().toISOString()}","msg":"x"}\n`);
  const logs = logKey(ledger.node());
  return { clock, open, write, logsBy: (name: string) => puts.includes(`${name} ${logs}`) };
}

/** What happens then looks at a real disk and real windows. */
async function pass(clock: TestClock, seconds: number) {
  for (let second = 0; second < seconds; second++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("of several processes the one that speaks for the node sends the log lines of all", async () => {
  const { clock, open, write, logsBy } = await setUp();
  const [keeper, other] = [open("keeper", () => true), open("other", () => false)];
  await keeper.start();
  await other.start();
  write();
  await pass(clock, 130);
  expect([logsBy("keeper"), logsBy("other")]).toEqual([true, false]);
  await other.stop();
  await keeper.stop();
});

test("where none can keep the node in touch, its log lines are sent all the same", async () => {
  const { clock, open, write, logsBy } = await setUp();
  const only = open("only", () => false);
  await only.start();
  write();
  await pass(clock, 70);
  expect(logsBy("only")).toBe(true);
  await only.stop();
});
