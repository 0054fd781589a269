import { openSync, readFileSync, writeSync } from "node:fs";
import { systemClock } from "../../../src/base/clock.ts";
import { createId } from "../../../src/base/ids.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { retry } from "../../../src/base/retry.ts";
import { createS3Bucket } from "../../../src/bucket/adapters/s3/s3-bucket.ts";
import type { S3Place } from "../../../src/bucket/adapters/s3/s3-client.ts";
import { bucketOperations, type Bucket, type BucketOperation } from "../../../src/bucket/index.ts";
import { openBucketQueueStore } from "../../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, type Queue } from "../../../src/queue/index.ts";

/** Where a fleet's queue is, in a form that can be handed to another process. */
export interface FleetPlace {
  readonly place: S3Place;
  readonly shards: number;
}

export interface FleetQueueOptions extends FleetPlace {
  /** Gets a line for every request, at once: what was asked survives the process. */
  readonly requestsFile: string;
}

const requestMs = 3_000;
/** The first one proves the store; a process that is replaced every second need not. */
const everyNode = { prefix: "queue/", probe: "daily", finishedKept: 200 } as const;

/** A queue as a process of the fleet opens it, through trouble. */
export async function openFleetQueue(options: FleetQueueOptions): Promise<Queue> {
  const { place, shards, requestsFile } = options;
  const [clock, random] = [systemClock, systemRandom];
  const s3 = createS3Bucket({ place, clock, random, requestMs });
  const bucket = noted(s3, openSync(requestsFile, "a"));
  const session = createId(random);
  const store = await persist(() =>
    openBucketQueueStore({ bucket, shards, session, clock, random, ...everyNode }),
  );
  return persistent(createQueue({ store, clock, random }));
}

/** As a worker does it: what is unavailable is asked again, with the same request. */
const persist = <T>(work: () => Promise<T>): Promise<T> =>
  retry(work, {
    clock: systemClock,
    random: systemRandom,
    attempts: 200,
    delayMs: 50,
    delayMsMax: 1_000,
  });

function persistent(queue: Queue): Queue {
  return {
    ...queue,
    add: (tasks, by) => persist(() => queue.add(tasks, by)),
    claim(request) {
      const requestId = request.requestId ?? createId(systemRandom);
      return persist(() => queue.claim({ ...request, requestId }));
    },
    extend: (leases, leaseMs) => persist(() => queue.extend(leases, leaseMs)),
    finish: (finishes) => persist(() => queue.finish(finishes)),
    release: (releases) => persist(() => queue.release(releases)),
    block: (gate, forMs) => persist(() => queue.block(gate, forMs)),
    setGate: (gate, settings) => persist(() => queue.setGate(gate, settings)),
    openJob: (job, settings) => persist(() => queue.openJob(job, settings)),
    seal: (job) => persist(() => queue.seal(job)),
    jobs: () => persist(() => queue.jobs()),
    browse: (query) => persist(() => queue.browse(query)),
    reconcile: (how) => persist(() => queue.reconcile(how)),
    wakeInMs: (kinds, worker) => persist(() => queue.wakeInMs(kinds, worker)),
  };
}

function noted(bucket: Bucket, file: number): Bucket {
  const note = (operation: BucketOperation) => void writeSync(file, `${operation}\n`);
  return {
    ...bucket,
    get: (key, more) => (note("get"), bucket.get(key, more)),
    putIfAbsent: (key, body) => (note("putIfAbsent"), bucket.putIfAbsent(key, body)),
    putIfMatch: (key, body, etag) => (note("putIfMatch"), bucket.putIfMatch(key, body, etag)),
    put: (key, body) => (note("put"), bucket.put(key, body)),
    delete: (key) => (note("delete"), bucket.delete(key)),
    list: (prefix, more) => (note("list"), bucket.list(prefix, more)),
  };
}

/** Dollars for a million requests of S3 Standard, us-east-1, as of 2026. */
const dollarsPerMillion: Readonly<Record<BucketOperation, number>> = {
  get: 0.4,
  putIfAbsent: 5,
  putIfMatch: 5,
  put: 5,
  list: 5,
  delete: 0,
};

/** What the requests of a fleet came to, for people. */
export function costReport(requestsFiles: readonly string[], tasks: number): string {
  const counts = new Map<BucketOperation, number>();
  for (const file of requestsFiles) {
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
      const operation = line as BucketOperation;
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
    }
  }
  const rows = bucketOperations.flatMap((operation) => {
    const requests = counts.get(operation) ?? 0;
    return requests === 0 ? [] : [{ operation, requests }];
  });
  const total = rows.reduce((sum, { requests }) => sum + requests, 0);
  const dollars = rows.reduce(
    (sum, { operation, requests }) => sum + (requests * dollarsPerMillion[operation]) / 1e6,
    0,
  );
  const parts = rows.map(
    ({ operation, requests }) => `${operation} ${(requests / tasks).toFixed(3)}`,
  );
  return (
    `${tasks} tasks, ${total} requests: ${(total / tasks).toFixed(3)} a task (${parts.join(", ")}); ` +
    `$${dollars.toFixed(6)} at list prices, $${((dollars / tasks) * 1e6).toFixed(2)} for a million tasks`
  );
}
