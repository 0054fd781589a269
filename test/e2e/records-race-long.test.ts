// inputs: src/** package.json tsconfig.json tsconfig.build.json test/support/**
// long: fleet
import { expect, test } from "vitest";
import { checkRace } from "../support/records-race-checks.ts";
import { raceRecords } from "../support/records-race.ts";
import { createRecordsSandbox } from "../support/records-sandbox.ts";

test("a longer race at the records: dozens of killed writers, hundreds of hand edits", async () => {
  const sandbox = await createRecordsSandbox();
  try {
    const promised = await raceRecords({
      sandbox,
      forMs: 60_000,
      writers: 4,
      killEveryMs: 1_200,
      withCommands: true,
    });
    expect(promised.kills).toBeGreaterThan(10);
    await checkRace(sandbox, promised);
  } finally {
    sandbox.remove();
  }
});
