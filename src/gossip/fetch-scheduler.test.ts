import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createCounting } from "./counters.ts";
import { createInbox } from "./inbox.ts";
import { subkeyOf } from "./keyring.ts";
import { limits } from "./limits.ts";
import { createPeers } from "./peers.ts";
import { createMemoryReplica } from "./testing/memory-replica.ts";
import { createFetchScheduler } from "./fetch-scheduler.ts";

const origin = "a/1";

/** One peer that has ten records and gives none of them. */
function fixture() {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  const counting = createCounting();
  const replica = createMemoryReplica();
  const inbox = createInbox({ replica, clock, log: silentLogger, counting, changed: () => {} });
  const peers = createPeers({ clock, random, counting });
  const peer = peers.admit({
    node: "p",
    session: "s",
    address: "10.0.0.1:9999",
    how: "static",
    counter: 1,
    subkey: subkeyOf(new Uint8Array(32), "p", "s"),
  })!;
  peer.advertised.set(origin, 10);
  peer.pullPort = 9_999;
  const askedAtMs: number[] = [];
  const pulls: ((came: boolean) => void)[] = [];
  const fetches = createFetchScheduler({
    replica,
    inbox,
    peers,
    clock,
    random,
    counting,
    send: () => void askedAtMs.push(clock.monotonicMs()),
    pull: (_peer, _span, ended) => pulls.push(ended) > 0,
  });
  const note = () => fetches.note(origin, 10, peer);
  const isLarge = () => fetches.ended(peer, { kind: "ended", origin, why: "large", next: 1 });
  return { clock, fetches, note, isLarge, askedAtMs, pulls };
}

test("after any number of failed requests, missing datagrams are requested again within seconds of a digest", async () => {
  const { clock, fetches, note, isLarge, askedAtMs, pulls } = fixture();
  note();
  // Nobody answers, until the answer to the last try says that it has to be pulled, which fails.
  while (askedAtMs.length < limits.askTriesMax) await clock.advance(50);
  isLarge();
  expect(pulls).toHaveLength(1);
  pulls[0]!(false);
  const failedAtMs = clock.monotonicMs();
  const asked = askedAtMs.length;
  for (let second = 0; second < 3; second++) {
    note();
    await clock.advance(1_000);
  }
  expect(askedAtMs.length).toBeGreaterThan(asked);
  expect(askedAtMs[asked]! - failedAtMs).toBeLessThan(3_000);
  fetches.stop();
});
