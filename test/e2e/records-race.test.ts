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
});

describe("kill -9 between the ledger and the files", () => {
  /** The owner of the folder, which has written to the ledger and never writes the file. */
  const stumble = async () => {
    await sandbox.good("company", "add", "Zero", "--domain", "c0.example");
    const stumbling = await startRacer(sandbox.inData(""), "stumbled", "stumble");
    await stumbling.opened;
    stumbling.child.send("write");
    await expect.poll(() => stumbling.reported).toContainEqual({ kind: "written" });
    return stumbling;
  };
  const read = () => readFileSync(sandbox.inData("companies/zero/_index.md"), "utf8");

  test("the next command writes the files, though it writes something else", async () => {
    await (await stumble()).kill();
    expect(read()).not.toContain("stumbled");
    await sandbox.good("company", "add", "One", "--domain", "c1.example");
    expect(read()).toContain("stumbled");
  });

  test("the process that takes over writes the files", async () => {
    const stumbling = await stumble();
    const watcher = await startRacer(sandbox.inData(""), "watcher", "watch");
    try {
      await stumbling.kill();
      await watcher.opened;
      await expect.poll(read, { interval: 20 }).toContain("stumbled");
    } finally {
      await watcher.stop();
    }
    expect(watcher.reported).toEqual([{ kind: "open" }]);
  });
});
