// process: own
import { describe, expect, test } from "vitest";
import { gzipBomb, peakRaisedMb } from "../../../../base/testing/gzip-bomb.ts";
import { newJob } from "../../../job.ts";
import { emptyShard } from "../../../model/shard.ts";
import { createHeadCodec } from "./head-codec.ts";
import type { ShardHead } from "./head.ts";

const key = "q/shards/0.json.gz";
const start = '{"format":1,"queueId":"q","tasks":[\n';
const head: ShardHead = {
  queueId: "q",
  index: 0,
  shards: 1,
  version: 0,
  atMs: 0,
  shard: emptyShard(),
  logs: [],
  archived: [],
  log: [],
  keptKeys: [],
  control: 0,
};

describe("a bomb in place of a shard", () => {
  test.each([
    ["of zeros, below the limit", gzipBomb({ mebibytes: 250 })],
    ["of zeros, above the limit", gzipBomb({ mebibytes: 2_000 })],
    ["that begins like a shard", gzipBomb({ mebibytes: 300, start, fill: " " })],
    [
      "that begins like a shard and states a small length",
      gzipBomb({ mebibytes: 250, start, fill: " ", statedBytes: 5_000 }),
    ],
  ])("%s is corrupt, and costs no memory", (_, bomb) => {
    const codec = createHeadCodec({ liveTasksMax: 10_000 });
    const raised = peakRaisedMb(() =>
      expect(() => codec.decode(bomb, key)).toThrow(
        expect.objectContaining({
          kind: "corrupt",
          code: "queue_shard_corrupt",
          message: expect.stringMatching(/q\/shards\/0.*Put back an older version/),
        }),
      ),
    );
    expect(raised).toBeLessThan(64);
  });
});

test("what is too long to be read again is not written", () => {
  const codec = createHeadCodec({ liveTasksMax: 10_000, textBytesMax: 1_000 });
  const jobs = new Map([["x", newJob("ü".repeat(500), 0)]]);
  const long: ShardHead = { ...head, shard: { ...head.shard, jobs } };
  const envelope = { format: 1, commits: {} };
  expect(codec.decode(codec.encode({ ...envelope, value: head }), key).value).toMatchObject({
    queueId: "q",
  });
  expect(() => codec.encode({ ...envelope, value: long })).toThrow(
    expect.objectContaining({ kind: "invalid", code: "queue_shard_too_large" }),
  );
});
