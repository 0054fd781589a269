import { systemClock } from "../../../../base/clock.ts";
import { createId } from "../../../../base/ids.ts";
import { createSeededRandom, systemRandom, type Random } from "../../../../base/random.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../../../bucket/adapters/memory/memory-bucket.ts";
import { createMeter, type Bucket, type Meter } from "../../../../bucket/index.ts";
import {
  openBucketQueueStore,
  type BucketQueueStore,
  type BucketQueueStoreOptions,
} from "../bucket-queue-store.ts";
import type { BucketQueueEvent } from "../head/event.ts";

/** The storage of a queue in memory. Tests can inspect it, count requests and move time. */
export interface Storage {
  readonly objects: Map<string, MemoryObject>;
  readonly bucket: Bucket;
  readonly meter: Meter;
  readonly events: BucketQueueEvent[];
  readonly random: Random;
  /** Moves the store's clock; timers are real. */
  pass(ms: number): void;
  open(more?: Partial<BucketQueueStoreOptions>): Promise<BucketQueueStore>;
  /** The number of requests since the last call. */
  requests(): number;
  keys(prefix: string): readonly string[];
}

const startMs = 1_800_000_000_000;

export function createStorage(): Storage {
  const objects = new Map<string, MemoryObject>();
  const meter = createMeter();
  const events: BucketQueueEvent[] = [];
  const bucket = meter.meter(createMemoryBucket({ clock: systemClock, objects }), "queue");
  const random = createSeededRandom(1);
  let nowMs = startMs;
  let counted = 0;
  proveFit(objects);
  return {
    objects,
    bucket,
    meter,
    events,
    random,
    pass: (ms) => void (nowMs += ms),
    open: (more = {}) =>
      openBucketQueueStore({
        bucket,
        prefix: "q",
        probe: "daily",
        clock: systemClock,
        random: systemRandom,
        session: createId(systemRandom),
        giveUpMs: 10_000,
        now: () => ({ ms: nowMs, wallMs: nowMs }),
        onEvent: (event) => void events.push(event),
        ...more,
      }),
    requests() {
      const total = Object.values(meter.usage()).reduce((sum, one) => sum + one.requests, 0);
      const since = total - counted;
      counted = total;
      return since;
    },
    keys: (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}

/** Simulates a successful probe, because most tests are about something else. */
function proveFit(objects: Map<string, MemoryObject>): void {
  const fitAtMs = systemClock.nowMs();
  const body = Buffer.from(JSON.stringify({ format: 1, fitAtMs }));
  objects.set("probe/fit.json", { body, etag: "fit", modifiedAtMs: fitAtMs });
}
