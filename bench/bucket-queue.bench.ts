import { strictEqual } from "node:assert/strict";
import { startOwnService } from "../scripts/services/own-service.ts";
import { createTestPlace, type TestS3 } from "../src/bucket/testing/test-s3.ts";
import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide, runSides } from "./frame/run-sides.ts";
import { waitPercentileMs, type BucketNodeInput } from "./ours/bucket-queue-side.ts";
import type { SlowInput } from "./ours/bucket-queue-slow.ts";
import { measureIdle, measureLongTasks } from "./ours/bucket-queue-virtual.ts";

const node = new URL("./ours/bucket-queue-side.ts", import.meta.url);
const slow = new URL("./ours/bucket-queue-slow.ts", import.meta.url);
const [nodes, tasks, batch] = [4, 20_000, 125];
const idleHours = 6;
const foundMsMax = 15_000;
const [longNodes, longTasks] = [4, 64];
const slowInput: SlowInput = { delayMs: 50, shards: 16, nodes: 8, tasks: 40_000, batch: 250 };

/**
 * One object per task: add it, find it (a share of a LIST), take it, read it, end it. Nothing is
 * shared between tasks, so nothing makes it less.
 */
const objectPerTaskRequests = 5;

export const bench: Bench = {
  name: "bucket-queue",
  summary:
    "a queue on S3: requests and dollars per task, speed, latency, and what being idle costs",
  bars: {
    requestsPerTask: { max: 0.1, aim: 0.05 },
    rgwTasksPerS: { min: 1_000 },
    addToStartP95Ms: { max: 2_000 },
    idleDollarsPerMonth: { max: 0.25 },
    slowTasksPerS: { min: 5_000 },
  },
  async run({ repetitions, log }) {
    const idle = await measureIdle(idleHours);
    strictEqual(idle.foundMsMax <= foundMsMax, true, `work was found after ${idle.foundMsMax} ms`);
    const long = await measureLongTasks(longNodes, longTasks);
    await using server = await startServer();
    const runs = await interleave({
      sides: {
        rgw: () => runFleet(server.s3),
        slow: async () => {
          const { elapsedMs } = await runSide({
            module: slow,
            side: "slowFleet",
            input: slowInput,
          });
          return { perS: (slowInput.tasks / elapsedMs) * 1_000 };
        },
      },
      repetitions,
      log,
    });
    return {
      values: {
        requestsPerTask: runs.rgw["requestsPerTask"]!,
        rgwTasksPerS: runs.rgw["perS"]!,
        addToStartP95Ms: runs.rgw["waitP95Ms"]!,
        idleDollarsPerMonth: idle.dollarsPerMonth,
        slowTasksPerS: runs.slow["perS"]!,
        objectPerTaskRequests,
        idleRequestsPerHour: idle.requestsPerHour,
        idleFoundMsMax: idle.foundMsMax,
        longTaskWritesPerThird: long.writesPerThird,
        dollarsPerMillionTasks: runs.rgw["dollarsPerMillion"]!,
      },
      notes: [
        `${tasks} tasks that do nothing, ${nodes} processes that each add, claim and finish, on one ` +
          `shard of a Ceph RGW on this machine; all three figures are of the same runs`,
        "add to start: from before `add` until a worker has the lease, by the machine's clock",
        `idle: ${idleHours} virtual hours of a worker that waits; then 40 tasks of another node, ` +
          "found without a hint",
        `long: ${longTasks} tasks of 10 minutes on ${longNodes} nodes, writes of a node in a third of ` +
          "a lease (virtual time); 1 is what the design says",
        `slow: ${slowInput.delayMs} ms added to every request, ${slowInput.shards} shards, ` +
          `${slowInput.nodes} nodes in one process, of which one adds and the others claim and ` +
          `finish, ${slowInput.tasks} tasks`,
        `one object per task: ${objectPerTaskRequests} requests by arithmetic (put, share of a list, ` +
          "take, get, end), whatever the load",
        "dollars: S3 Standard, us-east-1: PUT and LIST $5, GET $0.40 a million, DELETE free",
      ],
    };
  },
};

async function runFleet(s3: TestS3) {
  const { place, client } = await createTestPlace(s3);
  client.destroy();
  const calls = Array.from({ length: nodes }, (_, index) => {
    const input: BucketNodeInput = { place, node: index, nodes, tasks, batch };
    return { module: node, side: "bucketNode", input };
  });
  const { elapsedMs, outcomes } = await runSides(calls);
  const sum = (name: string) =>
    outcomes.reduce((total, { measured }) => total + (measured[name] ?? 0), 0);
  strictEqual(sum("held"), tasks, "each task is finished once, in one of the processes");
  return {
    perS: (tasks / elapsedMs) * 1_000,
    requestsPerTask: sum("requests") / tasks,
    dollarsPerMillion: (sum("dollars") / tasks) * 1e6,
    waitP95Ms: waitPercentileMs(
      outcomes.map(({ measured }) => measured),
      95,
    ),
  };
}

/** The one that the environment names, or one of our own. */
async function startServer(): Promise<{ readonly s3: TestS3 } & AsyncDisposable> {
  const given = process.env["FORAGER_TEST_S3_ENDPOINT"] ? process.env : undefined;
  const own = given ? undefined : await startOwnService("s3");
  const read = (name: string) => (given ?? own!.env)[`FORAGER_TEST_S3_${name}`] ?? "";
  return {
    s3: {
      endpoint: read("ENDPOINT"),
      accessKey: read("ACCESS_KEY"),
      secretKey: read("SECRET_KEY"),
      region: read("REGION"),
    },
    [Symbol.asyncDispose]: async () => own?.[Symbol.asyncDispose](),
  };
}
