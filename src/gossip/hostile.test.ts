import { hkdfSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createGossip } from "./gossip.ts";
import { subkeyOf } from "./keyring.ts";
import { createMemoryReplica } from "./testing/memory-replica.ts";
import { createTestFleet, testKey, type TestFleet, type TestNode } from "./testing/test-fleet.ts";
import { createWriter } from "./wire/bytes.ts";
import { clusterHash, sealPacket } from "./wire/packet.ts";
import { writeItem, type Item } from "./wire/items.ts";

const open = (fleet: TestFleet, ...names: readonly string[]) =>
  names.map((name) => fleet.open(name)) as [TestNode, TestNode];

/** Somebody at an address of their own who can make any packet. */
function attacker(fleet: TestFleet, key: Uint8Array) {
  const { transport } = fleet.network.join("10.6.6.6:666");
  const heard: Uint8Array[] = [];
  transport.listen((_from, packet) => heard.push(packet));
  let counter = 1_000_000; // newer than anything its owner has sent
  const forge = (node: string, session: string, items: readonly Item[] | Uint8Array) => {
    const writer = createWriter();
    if (items instanceof Uint8Array) writer.raw(items);
    else for (const item of items) writeItem(writer, item);
    counter += 1;
    return sealPacket({
      cluster: clusterHash("test"),
      node,
      session,
      counter,
      subkey: subkeyOf(key, node, session),
      body: writer.done(),
    });
  };
  return { transport, heard, forge };
}

const push = (origin: string, from = 1): Item => ({
  kind: "push",
  hops: 0,
  range: { origin, from, records: [Buffer.from("evil")] },
});

describe("hostile packets", () => {
  test("lesson 45: without the key nothing is parsed, stored, answered or remembered", async () => {
    await using fleet = createTestFleet();
    const [a] = open(fleet, "a", "b");
    await fleet.meetAll();
    const { transport, heard, forge } = attacker(fleet, testKey(66));
    for (let at = 0; at < 200; at++) {
      transport.send(a.address, forge(`evil${at}`, "s", [push("b/1")]));
    }
    await fleet.advance(100);
    const { droppedByReason } = a.gossip.counters();
    expect(droppedByReason.unauthenticated).toBe(200);
    expect(droppedByReason.malformed).toBe(0);
    expect(a.replica.stored).toEqual([]);
    expect(heard).toEqual([]);
    expect(a.gossip.peers().map(({ node }) => node)).toEqual(["b"]);
  });

  test("a peer's name does not help whoever lacks the key", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const { transport, forge } = attacker(fleet, testKey(66));
    transport.send(a.address, forge("b", b.gossip.session, [push("b/1")]));
    await fleet.advance(10);
    expect(a.gossip.counters().droppedByReason.unauthenticated).toBe(1);
    expect(a.replica.stored).toEqual([]);
    expect(a.gossip.peers()[0]!.address).toBe(b.address);
  });

  test("a packet changed in a single bit is none", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    let real: Uint8Array | undefined;
    fleet.network.watch((from, _to, packet) => {
      if (from === b.address) real ??= Uint8Array.from(packet);
    });
    fleet.network.conditions.isOpen = (from) => from === "10.6.6.6:666";
    b.write("one");
    await fleet.advance(1);
    const { transport } = attacker(fleet, testKey(66));
    for (let bit = 0; bit < real!.length * 8; bit++) {
      const changed = Uint8Array.from(real!);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      transport.send(a.address, changed);
    }
    await fleet.advance(1);
    expect(a.replica.stored).toEqual([]);
    transport.send(a.address, real!);
    await fleet.advance(1);
    expect(a.replica.stored).toEqual(["b/1/1"]); // unchanged it is one, from wherever it comes
  });

  test("a replay is dropped, by a peer and by one who has just started", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const recorded: Uint8Array[] = [];
    fleet.network.watch(
      (from, _to, packet) => from === b.address && recorded.push(Uint8Array.from(packet)),
    );
    const heard: string[] = [];
    a.gossip.subscribe("wake", () => heard.push("a"));
    b.gossip.publish("wake", Buffer.from("up"));
    b.write("one");
    await fleet.advance(500);
    expect(heard).toEqual(["a"]);
    const { transport } = attacker(fleet, testKey(66));
    for (const packet of recorded) transport.send(a.address, packet);
    await fleet.advance(1);
    expect(a.gossip.counters().droppedByReason.replayed).toBe(recorded.length);
    const late = fleet.open("late", { address: "10.0.5.5:9999" });
    late.gossip.subscribe("wake", () => heard.push("late"));
    for (const packet of recorded) transport.send(late.address, packet);
    await fleet.advance(1);
    expect(late.gossip.peers()).toEqual([]);
    expect(late.replica.stored).toEqual([]);
    expect(late.gossip.counters().droppedByReason.stranger).toBe(recorded.length);
    expect(heard).toEqual(["a"]);
  });

  test("names that lead elsewhere, and numbers that cannot be, are refused from a peer too", async () => {
    await using fleet = createTestFleet();
    const [a] = open(fleet, "a", "b");
    await fleet.meetAll();
    const { transport, heard, forge } = attacker(fleet, testKey(1)); // a node gone bad: it has the key
    transport.send(a.address, forge("evil", "s1", []));
    await fleet.advance(1);
    expect(heard).toHaveLength(1); // a challenge, which it does not answer
    const { transport: bad } = fleet.network.join("10.6.6.7:666");
    const gone = createGossip({
      replica: createMemoryReplica(),
      transport: bad,
      keyring: { keys: [testKey(1)] },
      cluster: "test",
      node: "evil",
      clock: fleet.clock,
      random: createSeededRandom(9),
      log: silentLogger,
    });
    gone.meet("static", [{ address: a.address }]);
    await fleet.advance(100);
    expect(a.gossip.peers().map(({ node }) => node)).toContain("evil");
    // Let in; now it sends what no node of ours would.
    let counter = 1_000_000;
    const send = (body: Uint8Array) => {
      counter += 1;
      const { session } = gone;
      const subkey = subkeyOf(testKey(1), "evil", session);
      const cluster = clusterHash("test");
      transport.send(
        a.address,
        sealPacket({ cluster, node: "evil", session, counter, subkey, body }),
      );
    };
    const origins = ["../../etc", "a/../b", "a/b/c", "", "/", "a/", "A/B", "a/b\u0000", "-/b"];
    for (const origin of origins) {
      const writer = createWriter();
      writeItem(writer, push(origin));
      send(writer.done());
    }
    const before = a.gossip.counters().droppedByReason.malformed;
    expect(before).toBe(0);
    await fleet.advance(1);
    expect(a.gossip.counters().droppedByReason.malformed).toBe(origins.length);
    for (const item of [
      { kind: "push", hops: 0, range: { origin: "x/1", from: 0, records: [] } },
      {
        kind: "push",
        hops: 0,
        range: { origin: "x/1", from: Number.MAX_SAFE_INTEGER, records: [Buffer.from("")] },
      },
      { kind: "ask", origin: "x/1", from: 5, to: 4 },
      { kind: "pull", token: new Uint8Array(16), origin: "x/1", from: 1, to: 2 },
    ] as const) {
      const writer = createWriter();
      writeItem(writer, item);
      send(writer.done());
    }
    await fleet.advance(1);
    expect(a.gossip.counters().droppedByReason.malformed).toBe(origins.length + 4);
    expect([...a.replica.vector().keys()]).toEqual([]);
    await gone[Symbol.asyncDispose]();
  });

  test("a peer that asks without end gets its share and no more", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    for (let at = 0; at < 1_000; at++) a.write("x".repeat(1_000));
    await fleet.meetAll();
    await fleet.advance(5_000);
    let bytes = 0;
    fleet.network.watch((from, _to, packet) => (bytes += from === a.address ? packet.length : 0));
    let counter = 1_000_000;
    const { transport } = fleet.network.join(b.address);
    for (let at = 0; at < 500; at++) {
      const writer = createWriter();
      writeItem(writer, { kind: "ask", origin: "a/1", from: 1, to: 1_000 });
      counter += 1;
      const { session } = b.gossip;
      const subkey = subkeyOf(testKey(1), "b", session);
      const packet = { cluster: clusterHash("test"), node: "b", session, counter, subkey };
      transport.send(a.address, sealPacket({ ...packet, body: writer.done() }));
    }
    await fleet.advance(10);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(600_000); // of 16 MB asked for
    expect(a.gossip.counters().droppedByReason.limited).toBeGreaterThan(300);
  });

  test("over a connection only peers are answered, and each question once", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    a.write("one");
    await fleet.meetAll();
    const { pull } = fleet.network.join("10.6.6.9:666");
    const question: Item = {
      kind: "pull",
      token: new Uint8Array(16),
      origin: "a/1",
      from: 1,
      to: 9,
    };
    const ask = async (packet: Uint8Array) => {
      const answered = pull.ask(a.address, packet).then(
        (answer) => answer.length,
        () => "hung up",
      );
      await fleet.advance(10);
      return answered;
    };
    const { session } = b.gossip;
    expect(await ask(attacker(fleet, testKey(66)).forge("b", session, [question]))).toBe("hung up");
    const { forge } = attacker(fleet, testKey(1));
    expect(await ask(forge("evil", "s", [question]))).toBe("hung up");
    expect(await ask(forge("b", session, [question, question]))).toBe("hung up");
    expect(await ask(forge("b", session, [push("b/1")]))).toBe("hung up");
    const good = forge("b", session, [question]);
    expect(await ask(good)).toBeGreaterThan(50);
    expect(await ask(good)).toBe("hung up");
    const { unauthenticated, malformed, stranger, replayed } = a.gossip.counters().droppedByReason;
    expect({ unauthenticated, malformed }).toEqual({ unauthenticated: 1, malformed: 2 });
    for (const count of [stranger, replayed]) expect(count).toBeGreaterThan(0);
    expect(a.gossip.counters().pullsAnswered).toBe(1);
    expect(a.replica.stored).toEqual(["a/1/1"]);
  });

  test("packets of another cluster with the same key are ignored", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a");
    const b = fleet.open("b", { cluster: "another" });
    await fleet.meetAll();
    await fleet.advance(5_000);
    expect(a.gossip.peers()).toEqual([]);
    expect(b.gossip.counters().droppedByReason.cluster).toBeGreaterThan(0);
  });
});

describe("keys", () => {
  test("without one there is no gossip, on loopback neither", async () => {
    await using fleet = createTestFleet();
    const none = { keys: [] };
    for (const address of ["10.0.0.1:9999", "127.0.0.1:9999", "[::1]:9999"]) {
      expect(() => fleet.open("a", { address, keyring: none })).toThrow(/there is none/);
    }
    const { gossip } = fleet.open("b");
    expect(() => gossip.useKeys(none)).toThrow(/there is none/);
  });

  test("the key that the source once had opens nothing: loopback is not trusted", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a", { address: "127.0.0.1:1001" });
    a.write("private");
    const once = hkdfSync("sha256", "", "", "forager gossip without a key", 32);
    const keyring = { keys: [new Uint8Array(once)] };
    const stranger = fleet.open("b", { address: "127.0.0.1:1002", keyring });
    stranger.write("forged");
    await fleet.meetAll();
    await fleet.advance(5_000);
    expect([a.gossip.peers(), stranger.gossip.peers()]).toEqual([[], []]);
    expect([a.replica.stored, stranger.replica.stored]).toEqual([["a/1/1"], ["b/1/1"]]);
    expect(a.gossip.counters().droppedByReason.unauthenticated).toBeGreaterThan(0);
  });

  test("rotate without a break: the new one last, then first, then alone", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const [old, next] = [testKey(1), testKey(2)];
    const steps = [[old, next], [next, old], [next]];
    let count = 0;
    for (const keys of steps) {
      for (const { gossip } of [a, b]) {
        gossip.useKeys({ keys });
        a.write(`${(count += 1)}`);
        await fleet.advance(1);
        expect(b.replica.records("a/1")).toHaveLength(count); // also half-way through each step
      }
    }
    const { transport, forge } = attacker(fleet, old); // somebody found the old one
    const before = a.gossip.counters().droppedByReason.unauthenticated;
    transport.send(a.address, forge("b", b.gossip.session, [push("b/1")]));
    await fleet.advance(1);
    expect(a.gossip.counters().droppedByReason.unauthenticated).toBe(before + 1);
    const late = fleet.open("late"); // has the old key only
    late.gossip.meet("static", [{ address: a.address }]);
    await fleet.advance(3_000);
    expect(late.gossip.peers()).toEqual([]);
  });
});
