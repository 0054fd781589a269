import { expect, test } from "vitest";
import { createTestClock, type TestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { readHeadsSeen, type Ledger } from "../ledger/index.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { driftOf, lacksOf } from "./drift.ts";
import type { PeerSeen } from "./node-view.ts";
import { rosterOf, type NodeSeen } from "./roster.ts";
import { sampleHeartbeat } from "./testing/sample-heartbeat.ts";

async function createTwo() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const [a, b] = [await openTestLedger({ clock }), await openTestLedger({ clock })];
  let written = 0;
  const write = async (ledger: Ledger, count: number) => {
    for (let at = 0; at < count; at++) {
      const changes = [{ target: "company/x", field: `f${written++}`, value: at }];
      await ledger.write({ source: "site:https://a.b", changes });
    }
  };
  return { clock, bucket, a, b, write };
}
type Two = Awaited<ReturnType<typeof createTwo>>;

/** As a sees b. */
async function see({ clock, bucket, a, b }: Two, peer?: Pick<PeerSeen, "vector">) {
  const view = peer && {
    node: a.node(),
    pid: 1,
    atMs: clock.nowMs(),
    heartbeat: sampleHeartbeat,
    desired: { revision: 0, scopes: {} },
    peers: [
      {
        ...peer,
        node: b.node(),
        session: "s",
        address: "10.0.0.2:1",
        how: "mdns",
        lastHeardMs: clock.nowMs(),
        rttMs: 1,
        heartbeat: undefined,
      },
    ],
  };
  const heads = await readHeadsSeen(bucket, () => {});
  const self = { node: a.node(), label: "a" };
  const seen = rosterOf({ nowMs: clock.nowMs(), self, heads, view }).find(
    ({ node }) => node === b.node(),
  );
  const { vector, log } = { vector: a.vector(), log: await a.log({ from: 0, limit: Infinity }) };
  return seen && driftOf(seen, { nowMs: clock.nowMs(), vector, log, checkpoints: new Map() });
}
const passMinutes = (clock: TestClock, minutes: number) => clock.advance(minutes * 60_000);

test("E5: by gossip, exactly how many datagrams each lacks of the other, and for how long", async () => {
  const two = await createTwo();
  const { a, b, write, clock } = two;
  const vector = () => Object.fromEntries(b.vector());
  expect(await see(two, { vector: vector() })).toEqual({
    missingHere: 0,
    missingThere: 0,
    seconds: 0,
  });
  await write(a, 3);
  await passMinutes(clock, 2);
  await write(a, 1);
  expect(await see(two, { vector: vector() })).toEqual({
    missingHere: 0,
    missingThere: 4,
    seconds: 120,
  });
  await write(b, 2);
  expect(await see(two, { vector: vector() })).toMatchObject({ missingHere: 2, missingThere: 4 });
});

test("by the bucket alone: what it published and is not here; what it lacks, if its heartbeat says so", async () => {
  const two = await createTwo();
  const { a, b, bucket, write, clock } = two;
  await write(b, 5);
  await b.withBucket(bucket).push();
  await a.withBucket(bucket).sync();
  expect(await see(two)).toEqual({ missingHere: 0, missingThere: undefined, seconds: 0 });
  await passMinutes(clock, 3);
  await write(b, 4);
  await b.withBucket(bucket).push();
  expect(await see(two)).toMatchObject({ missingHere: 4, seconds: 180 });
  await a.withBucket(bucket).sync();
  expect(await see(two)).toMatchObject({ missingHere: 0, seconds: 0 });

  const tell = async () => {
    const knows = { checkpoint: 0, beyond: Object.fromEntries(b.vector()) };
    await b
      .withBucket(bucket)
      .writeHeartbeat({ addresses: [], beat: { ...sampleHeartbeat, knows } });
  };
  await tell();
  expect(await see(two)).toEqual({ missingHere: 0, missingThere: 0, seconds: 0 });
  await write(a, 6);
  await passMinutes(clock, 1);
  expect(await see(two)).toEqual({ missingHere: 0, missingThere: 6, seconds: 60 });
  await a.withBucket(bucket).push();
  await b.withBucket(bucket).sync();
  await tell();
  expect(await see(two)).toEqual({ missingHere: 0, missingThere: 0, seconds: 0 });
});

test("between all nodes: what each lacks of every other, and nothing of one that does not report it", () => {
  const seen = (node: string, more: Partial<NodeSeen>) => ({ node, isSelf: false, ...more }) as NodeSeen; // prettier-ignore
  const tells = (checkpoint: number, beyond: Record<string, number>) => ({
    heartbeat: { ...sampleHeartbeat, knows: { checkpoint, beyond } },
  });
  const vector = new Map([["a/1", 7], ["b/1", 4]]); // prettier-ignore
  const checkpoints = new Map([[2, new Map([["a/1", 5], ["b/1", 3]])]]); // prettier-ignore
  const roster = [
    seen("a", { isSelf: true }),
    seen("b", { peer: { vector: { "a/1": 7, "b/1": 9 } } as unknown as PeerSeen }),
    seen("c", tells(2, { "b/1": 4 })),
    seen("d", tells(1, { "b/1": 4 })), // a checkpoint that cannot be read any more
    seen("e", {}),
  ];
  expect(Object.fromEntries(lacksOf(roster, { vector, checkpoints }))).toEqual({
    a: [{ of: "b", datagrams: 5 }],
    b: [],
    c: [{ of: "a", datagrams: 2 }, { of: "b", datagrams: 7 }], // prettier-ignore
  });
});
