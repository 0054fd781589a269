// inputs: src/** package.json tsconfig.json tsconfig.build.json test/support/**
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkRace } from "../support/records-race-checks.ts";
import { raceRecords, startRacer } from "../support/records-race.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => void (sandbox = await createRecordsSandbox()));
afterEach(() => sandbox.remove());

test("four writers, a watcher, hand edits and kill -9: nothing is lost, all agree", async () => {
  const promised = await raceRecords({ sandbox, forMs: 3_000, writers: 4, killEveryMs: 900 });
  await checkRace(sandbox, promised);
}, 300_000);

describe("kill -9 between the ledger and the files", () => {
  const stumble = async () => {
    await sandbox.good("company", "add", "Zero", "--domain", "c0.example");
    const stumbling = await startRacer(sandbox.inData(""), "stumbled", "stumble");
    await stumbling.opened;
    await stumbling.kill();
    expect(stumbling.told).toEqual([{ kind: "written" }]);
  };
  const read = () => readFileSync(sandbox.inData("companies/zero/_index.md"), "utf8");

  test("who opens them next writes the files, though another was written since", async () => {
    await stumble();
    expect(read()).not.toContain("stumbled");
    await sandbox.good("company", "add", "One", "--domain", "c1.example");
    expect(read()).toContain("stumbled");
  }, 120_000);

  test("who has them open sees it soon", async () => {
    const watcher = await startRacer(sandbox.inData(""), "watcher", "watch");
    await watcher.opened;
    try {
      await stumble();
      await expect.poll(read, { timeout: 30_000, interval: 20 }).toContain("stumbled");
    } finally {
      await watcher.stop();
    }
  }, 120_000);
});
