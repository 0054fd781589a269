import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { unknownOutcome } from "../bucket-error.ts";
import type { Bucket } from "../bucket.ts";
import { createFaultyBucket, type FaultKind, type Faults } from "../faulty-bucket.ts";
import { createMemoryBucket, type MemoryObject } from "../adapters/memory/memory-bucket.ts";

/**
 * How real stores behave in edge cases; each case was observed on a server:
 * - `aws`: the reference;
 * - `r2`: one write per second for each key; more are answered with 429;
 * - `conflict-409`: any racer, even the winner, may get 409; then nothing was written;
 * - `rgw16`: two thirds of the losers of an update get 500 instead of 412;
 * - `ignores-conditions`: every racer wins, so nothing can be built on this store;
 * - `lost-response`, `delayed-landing`: can happen on any network.
 */
export const personalities = [
  "aws",
  "r2",
  "conflict-409",
  "rgw16",
  "ignores-conditions",
  "lost-response",
  "delayed-landing",
] as const;

export type Personality = (typeof personalities)[number];

const faultsOf: Readonly<Record<Personality, Faults>> = {
  aws: {},
  r2: {},
  "conflict-409": { vagueLoser: 0.5, falseConflict: 0.2 },
  rgw16: { vagueLoser: 0.64 },
  "ignores-conditions": {},
  "lost-response": { lostAnswer: 0.2, lostRead: 0.1 },
  "delayed-landing": { lateLanding: 0.2, lateMsMax: 2_000 },
};

export interface PersonalityOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The initial content. Tests can inspect it. */
  readonly objects?: Map<string, MemoryObject>;
  /** In addition to the faults of the personality. */
  readonly faults?: Faults;
  readonly onFault?: (kind: FaultKind | "throttled", key: string) => void;
}

/** Opens the same storage repeatedly, each time as another client. */
export type OpenPersonality = (client?: Partial<PersonalityOptions>) => Bucket;

export function createPersonality(
  personality: Personality,
  store: PersonalityOptions,
): OpenPersonality {
  const { objects = new Map<string, MemoryObject>() } = store;
  const writtenAtMs = new Map<string, number>();
  return (client = {}) => {
    const { clock, random, faults = {}, onFault = () => {} } = { ...store, ...client };
    const ignoresConditions = personality === "ignores-conditions";
    const memory = createMemoryBucket({ clock: store.clock, objects, ignoresConditions });
    const bucket =
      personality === "r2"
        ? throttled(memory, { clock: store.clock, writtenAtMs, onThrottled: onFault })
        : memory;
    const allFaults = { ...faults, ...faultsOf[personality] };
    return createFaultyBucket({ bucket, clock, random, faults: allFaults, onFault });
  };
}

interface ThrottleOptions {
  readonly clock: Clock;
  readonly writtenAtMs: Map<string, number>;
  readonly onThrottled: (kind: "throttled", key: string) => void;
}

function throttled(bucket: Bucket, { clock, writtenAtMs, onThrottled }: ThrottleOptions): Bucket {
  const pass = (key: string) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - (writtenAtMs.get(key) ?? -Infinity) < 1_000) {
      onThrottled("throttled", key);
      throw unknownOutcome(key, "429 TooManyRequests");
    }
    writtenAtMs.set(key, nowMs);
  };
  return {
    ...bucket,
    async putIfAbsent(key, body) {
      pass(key);
      return bucket.putIfAbsent(key, body);
    },
    async putIfMatch(key, body, etag) {
      pass(key);
      return bucket.putIfMatch(key, body, etag);
    },
    async put(key, body) {
      pass(key);
      return bucket.put(key, body);
    },
  };
}
