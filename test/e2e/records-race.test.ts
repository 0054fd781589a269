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
}, 120_000);

describe("kill -9 between the ledger and the files", () => {
  const stumble = async () => {
    await sandbox.good("company", "add", "Zero", "--domain", "c0.example");
    const stumbling = await startRacer(sandbox.inData(""), "stumbled", "stumble");
    await stumbling.opened;
    await stumbling.kill();
    expect(stumbling.told).toEqual([{ kind: "written" }]);
    expect(read()).not.toContain("stumbled");
  };
  const read = () => readFileSync(sandbox.inData("companies/zero/_index.md"), "utf8");

  test("who opens them next writes the files, though another was written since", async () => {
    await stumble();
    await sandbox.good("company", "add", "One", "--domain", "c1.example");
    expect(read()).toContain("stumbled");
  }, 60_000);

  test("who has them open sees it soon", async () => {
    const watcher = await startRacer(sandbox.inData(""), "watcher", "watch");
    await watcher.opened;
    try {
      await stumble();
      for (let tries = 0; tries < 500 && !read().includes("stumbled"); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(read()).toContain("stumbled");
    } finally {
      await watcher.stop();
    }
  }, 60_000);
});
