// needs: s3 postgres
// inputs: src/bucket/** src/base/**
// long: chaos
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { needs } from "../../test/support/services.ts";
import { createId } from "../base/ids.ts";
import { systemRandom } from "../base/random.ts";
import { bucketRace } from "./testing/bucket-race.ts";
import { createTestPlace } from "./testing/test-s3.ts";

const raceMs = process.env["FORAGER_TEST_LONG"] === "1" ? 30_000 : 10_000;

bucketRace({
  name: "directory",
  raceMs,
  open: async () => {
    const root = mkdtempSync(join(tmpdir(), "forager-bucket-race-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    return { kind: "directory", root };
  },
});

needs(["postgres", "s3"], ({ postgres, s3 }) => {
  bucketRace({
    name: "postgres",
    raceMs,
    open: async () => ({
      kind: "postgres",
      url: postgres.url,
      table: `race_${createId(systemRandom, 12)}`,
    }),
  });

  bucketRace({
    name: "s3",
    raceMs,
    open: async () => {
      const { place, client } = await createTestPlace(s3);
      client.destroy();
      return { kind: "s3", place };
    },
  });
});
