import { silentLogger } from "../../src/base/log/logger.ts";
import { sleep } from "../../src/base/clock.ts";
import { createLease, createLeaseKeeper, leaseKey } from "../../src/bucket/index.ts";
import type { BucketLease, LeaseRecord } from "../../src/bucket/index.ts";
import type { SimNode } from "./sim-node.ts";
import { makeTrouble } from "./trouble.ts";
import { lateMsMax, type World } from "./world.ts";

const [ttlMs, marginMs, pollMs] = [20_000, 5_000, 4_000];
const chaosMs = 120_000;
/** O8: lease, margin and the longest poll, and what a late write or a slow way adds to them. */
const recoveryMs = ttlMs + marginMs + 1.5 * pollMs + 2 * lateMsMax;

/** What is wrong with a run; the message begins with the obligation that was broken. */
export class Violation extends Error {}

/** Some nodes want one role, through trouble. Throws a Violation. */
export async function runLeases(world: World): Promise<void> {
  const { scheduler, random } = world;
  const holders: Holder[] = [];
  const start = (node: SimNode) => {
    const lease = createLease({
      bucket: node.bucket,
      name: "hub",
      owner: node.name,
      clock: node.clock,
      random,
      ttlMs,
      marginMs,
    });
    const holder: Holder = { node, lease };
    holders.push(holder);
    const keeper = createLeaseKeeper({
      lease,
      clock: node.clock,
      random,
      log: silentLogger,
      ttlMs,
      pollMs,
      async work({ epoch, signal, isHeld }) {
        world.tell(`${node.name} holds ${epoch}`);
        const giveBackMs = node.clock.monotonicMs() + random.next() * 120_000;
        while (!signal.aborted && node.clock.monotonicMs() < giveBackMs) {
          if (isHeld()) checker.act(holder, epoch);
          await sleep(node.clock, 2_000, signal).catch(() => {});
        }
      },
    });
    void keeper.start();
  };
  const checker = createLeaseChecker(world, holders);
  const names = ["a", "b", "c"].slice(0, 2 + random.below(2));
  const trouble = makeTrouble({
    world,
    names,
    run: start,
    untilMs: chaosMs,
    pauseMsMax: 2 * (ttlMs + marginMs),
  });
  await scheduler.runUntil(chaosMs, () => checker.check());
  world.calm();
  trouble.end();
  // Pauses and cuts that began before the calm end within their longest time.
  await scheduler.runUntil(chaosMs + 2 * (ttlMs + marginMs) + recoveryMs, () => checker.check());
  if (!checker.hasActedSince(chaosMs)) {
    throw new Violation(`O8: nobody took the role within ${recoveryMs} ms of calm`);
  }
}

interface Holder {
  readonly node: SimNode;
  readonly lease: BucketLease;
}

function createLeaseChecker({ objects, scheduler, tell, note }: World, holders: readonly Holder[]) {
  const key = leaseKey("hub");
  const sessionOf = new Map<number, string>();
  const landedAtMs = new Map<string, number>();
  let lastBody: Uint8Array | undefined;
  let lastEpoch = 0;
  let lastActEpoch = 0;
  let lastActMs = -1;

  const checkStore = () => {
    const body = objects.get(key)?.body;
    if (body === lastBody) return;
    if (!body) throw new Violation("O1: the lease was deleted, its epochs begin again");
    lastBody = body;
    const record = JSON.parse(Buffer.from(body).toString()) as LeaseRecord;
    const { epoch, session, owner, state } = record;
    tell(`store: ${owner} ${epoch} ${state}`);
    if (epoch < lastEpoch) throw new Violation(`O1: epoch ${epoch} after ${lastEpoch}`);
    if (epoch > lastEpoch && lastEpoch > 0) note("takeover");
    const other = sessionOf.get(epoch);
    if (other !== undefined && other !== session) {
      throw new Violation(`O1: two sessions had epoch ${epoch}`);
    }
    sessionOf.set(epoch, session);
    landedAtMs.set(owner, scheduler.nowMs());
    lastEpoch = epoch;
  };

  return {
    check() {
      checkStore();
      const held = holders.filter(({ lease }) => lease.isHeld());
      if (held.length > 1) {
        const names = held.map(({ node, lease }) => `${node.name} (${lease.epoch()})`);
        throw new Violation(`O2: held at once by ${names.join(" and ")}`);
      }
      for (const { node } of held) {
        const ageMs = scheduler.nowMs() - (landedAtMs.get(node.name) ?? -Infinity);
        if (ageMs > ttlMs) {
          throw new Violation(`O9: ${node.name} holds, and its last write is ${ageMs} ms old`);
        }
      }
    },
    act({ node }: Holder, epoch: number) {
      checkStore();
      tell(`${node.name} acts in ${epoch}`);
      if (epoch < lastActEpoch) {
        throw new Violation(`O2: an act in epoch ${epoch} after one in ${lastActEpoch}`);
      }
      lastActEpoch = epoch;
      lastActMs = scheduler.nowMs();
    },
    hasActedSince: (sinceMs: number) => lastActMs >= sinceMs,
  };
}
