// needs: postgres
// long: stores
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { openDirectoryBucket } from "../../../bucket/adapters/directory/directory-bucket.ts";
import { openPostgresBucket } from "../../../bucket/adapters/postgres/postgres-bucket.ts";
import { requireFitness, type Bucket } from "../../../bucket/index.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { suiteStorage } from "./testing/suite-storage.ts";

const clients = { clock: systemClock, random: systemRandom };

/** The same suite and the same promises on every bucket: with one shard there are no deviations. */
function suiteOn(name: string, openBucket: () => Promise<Bucket>): void {
  describe(name, () => {
    let bucket: Bucket;
    beforeAll(async () => {
      bucket = await openBucket();
      // Once and here: clauses open with the same random numbers, and would meet in the probe.
      await requireFitness({ bucket, ...clients, probe: "daily" });
    });
    afterAll(async () => bucket[Symbol.asyncDispose]());
    queueSuite({ name, open: (time) => suiteStorage(bucket)(time), concurrent: true });
  });
}

describe("on a disk", () => {
  const root = mkdtempSync(join(tmpdir(), "forager-bucket-queue-"));
  afterAll(() => rmSync(root, { recursive: true }));
  suiteOn("a directory", async () => openDirectoryBucket({ root, ...clients }));
});

needs(["postgres"], ({ postgres }) => {
  suiteOn("a table in PostgreSQL", async () =>
    openPostgresBucket({ url: postgres.url, table: `t_${createId(systemRandom, 10)}` }),
  );
});
