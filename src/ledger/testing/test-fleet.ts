import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../bucket/adapters/memory/memory-bucket.ts";
import { createLease, type Bucket } from "../../bucket/index.ts";
import type { Ledger } from "../ledger.ts";
import { compact, type CompactOptions } from "../tiers/hub/hub.ts";
import { hubLease } from "../tiers/keys.ts";
import type { SyncHow } from "../tiers/sync.ts";

export const fleetTarget = "company/a";
const fleetSource = "site:https://a.b";
export const fleetGraceMs = 60_000;

/** A bucket in memory, with functions for its nodes and its hub. */
export function createTestFleet() {
  const clock = createTestClock();
  const objects = new Map<string, MemoryObject>();
  const bucket: Bucket = createMemoryBucket({ clock, objects });
  const random = createSeededRandom(77);
  const set = (ledger: Ledger, value: unknown, target = fleetTarget) =>
    ledger.write({ source: fleetSource, changes: [{ target, field: "f", value }] });
  const sync = (ledger: Ledger, how?: SyncHow) => ledger.withBucket(bucket).sync(how);
  const lease = createLease({ bucket, name: hubLease, owner: "h", clock, random });
  const fold = async (more: Partial<CompactOptions> = {}) => {
    const taken = lease.isHeld() ? undefined : await lease.acquire();
    const epoch = taken?.status === "held" ? taken.epoch : lease.epoch()!;
    const options = { bucket, clock, random, log: silentLogger, owner: "hub", lease, epoch };
    return compact({ ...options, graceMs: fleetGraceMs, isHeld: () => lease.isHeld(), ...more });
  };
  const keys = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix));
  return { clock, objects, bucket, random, set, sync, lease, fold, keys };
}
