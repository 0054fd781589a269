import { describe, expect, test } from "vitest";
import { createTestFleet, textOf, type TestFleet, type TestNode } from "./testing/test-fleet.ts";

const textsOf = ({ replica }: TestNode, origin: string) => replica.records(origin).map(textOf);
const open = (fleet: TestFleet, ...names: readonly string[]) =>
  names.map((name) => fleet.open(name)) as [TestNode, TestNode, TestNode];

describe("gossip", () => {
  test("what one writes all others have at once, each record stored once", async () => {
    await using fleet = createTestFleet();
    const [a, b, c] = open(fleet, "a", "b", "c");
    await fleet.meetAll();
    expect(a.gossip.peers().map(({ node }) => node)).toEqual(["b", "c"]);
    const before = fleet.network.sent();
    a.write("one", "two");
    await fleet.advance(1);
    for (const node of [b, c]) expect(textsOf(node, "a/1")).toEqual(["one", "two"]);
    expect(b.replica.stored).toEqual(["a/1/1", "a/1/2"]);
    expect(fleet.network.sent() - before).toBe(2); // one packet for each peer, both records in it
    await fleet.advance(10_000);
    expect(b.replica.received()).toBe(1);
    expect(a.gossip.counters().asksOut + b.gossip.counters().asksOut).toBe(0);
  });

  test("a hole is asked for 50 ms after it was seen, and what came before it waits", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    fleet.network.conditions.loss = 1;
    a.write("one", "two");
    await fleet.advance(1);
    fleet.network.conditions.loss = 0;
    a.write("three");
    await fleet.advance(48);
    expect(textsOf(b, "a/1")).toEqual([]);
    expect(b.gossip.counters().asksOut).toBe(0);
    await fleet.advance(5);
    expect(textsOf(b, "a/1")).toEqual(["one", "two", "three"]);
    expect(b.gossip.counters().asksOut).toBe(1);
    expect(a.gossip.counters().recordsAnswered).toBe(2); // the third was here already
  });

  test("with every push lost, a digest finds what is missing", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    a.write("zero");
    await fleet.advance(1);
    fleet.network.conditions.loss = 1;
    a.write("one");
    await fleet.advance(1);
    fleet.network.conditions.loss = 0;
    await fleet.advance(1_300);
    expect(textsOf(b, "a/1")).toEqual(["zero", "one"]);
  });

  test("a record that fits into no packet is announced and pulled over a connection", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const large = "x".repeat(100_000);
    a.write("one", large, "two");
    await fleet.advance(200);
    expect(textsOf(b, "a/1")).toEqual(["one", large, "two"]);
    expect(b.gossip.counters()).toMatchObject({ pulls: 1, pullsFailed: 0 });
    expect(a.gossip.counters().pullsAnswered).toBe(1);
  });

  test("if no peer can be reached over a connection, a large record is left to the bucket", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a", { isPullable: false });
    const b = fleet.open("b");
    await fleet.meetAll();
    a.write("x".repeat(5_000));
    a.write("two");
    await fleet.advance(10_000);
    expect(textsOf(b, "a/1")).toEqual([]);
    expect(b.gossip.counters().leftToBucket).toBeGreaterThan(0);
    expect(b.gossip.counters().asksOut).toBeLessThan(3); // and is not asked for again and again
  });

  test("what a peer has given up is asked of another one, else left to the bucket", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    a.write("one", "two");
    await fleet.meetAll();
    await fleet.advance(2_000);
    a.replica.forget("a/1", 2);
    const c = fleet.open("c");
    c.gossip.meet("static", [{ address: a.address }]);
    await fleet.advance(5_000);
    expect(textsOf(c, "a/1")).toEqual(["one", "two"]); // b was found through a, and had it
    b.replica.forget("a/1", 2);
    const d = fleet.open("d");
    d.gossip.meet("static", [{ address: b.address }, { address: a.address }]);
    c.replica.forget("a/1", 2);
    await fleet.advance(8_000);
    expect(textsOf(d, "a/1")).toEqual([]);
    expect(d.gossip.counters().leftToBucket).toBeGreaterThan(0);
  });

  test("far behind, it catches up over a connection instead of by packets", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a");
    for (let at = 0; at < 5_000; at++) a.write(`record ${at}`.padEnd(700, "."));
    const b = fleet.open("b");
    await fleet.meetAll();
    const before = fleet.network.sent();
    await fleet.advance(4_000);
    expect(b.replica.records("a/1")).toHaveLength(5_000);
    expect(b.gossip.counters().pulls).toBe(4); // 3.5 MB by up to 1 MiB
    expect(fleet.network.sent() - before).toBeLessThan(40);
  });

  test("above 16 peers some get it and pass it on, and it still comes once to each", async () => {
    await using fleet = createTestFleet();
    const nodes = Array.from({ length: 20 }, (_, at) => fleet.open(`n${at}`));
    await fleet.meetAll();
    await fleet.advance(1_000);
    const before = fleet.network.sent();
    nodes[0]!.write("one");
    await fleet.advance(300);
    const sent = fleet.network.sent() - before;
    const reached = nodes.filter((node) => textsOf(node, "n0/1").length === 1).length;
    expect(reached).toBeGreaterThanOrEqual(19);
    expect(sent).toBeLessThan(20 * 6 + 40); // twice three by each, and digests meanwhile
    await fleet.advance(3_000);
    for (const node of nodes) expect(node.replica.stored).toEqual(["n0/1/1"]);
  });

  test("records that are none are refused, counted, and asked for ever less often", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    b.replica.refuse = () => {
      throw Object.assign(new Error("no"), {});
    };
    a.write("one");
    await fleet.advance(10_000);
    expect(b.gossip.counters().droppedByReason.failed).toBeGreaterThan(1);
    expect(b.replica.received()).toBeLessThan(7);
    b.replica.refuse = undefined;
    await fleet.advance(20_000);
    expect(textsOf(b, "a/1")).toEqual(["one"]);
  });

  test("what a replica takes only whole is offered again with what follows", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const receive = b.replica.receive.bind(b.replica);
    Object.assign(b.replica, {
      receive: async (range: Parameters<typeof receive>[0]) => {
        if (range.records.length >= 30) await receive(range); // a commit of thirty
      },
    });
    for (let at = 0; at < 30; at++) a.write("x".repeat(500));
    await fleet.advance(100);
    expect(textsOf(b, "a/1")).toHaveLength(30);
  });

  test("a vector that fills several packets heals too", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    for (let at = 0; at < 400; at++) {
      a.replica.write(`old${at}/abcdefghijkmnpqrstvwxyz123`, Buffer.from("one"));
      b.replica.write(`new${at}/abcdefghijkmnpqrstvwxyz123`, Buffer.from("two"));
    }
    await fleet.meetAll();
    await fleet.advance(20_000);
    expect(b.replica.vector().size).toBe(800);
    expect(a.replica.vector().size).toBe(800);
  });

  test("lesson 25: a follower that got no notification of a write still spreads it, by digest", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    await a.replica.receive({ origin: "a/1", from: 1, records: [Buffer.from("one")] });
    await fleet.advance(1_300);
    expect(textsOf(b, "a/1")).toEqual(["one"]);
  });

  test("lesson 44: bytes are bytes, and what is old is sent as what is new", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a");
    const old = Array.from({ length: 30 }, (_, at) => "Grüße, 世界, 🌍 ".repeat(at));
    a.write(...old);
    fleet.clock.step(48 * 3_600_000); // two midnights later somebody joins
    const b = fleet.open("b");
    await fleet.meetAll();
    await fleet.advance(1_000);
    expect(textsOf(b, "a/1")).toEqual(old);
  });

  test("lesson 46: a wall clock that jumps by hours changes nothing", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    for (const stepMs of [2 * 3_600_000, -9 * 3_600_000]) {
      fleet.clock.step(stepMs);
      a.write(`after ${stepMs}`);
      await fleet.advance(1);
      expect(a.gossip.peers()).toHaveLength(1);
    }
    expect(textsOf(b, "a/1")).toHaveLength(2);
    const [view] = a.gossip.peers();
    expect(Math.abs(view!.lastHeardMs - fleet.clock.nowMs())).toBeLessThan(5_000);
  });

  test("drift is exact: peers report what they have", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    a.write("one", "two");
    await fleet.meetAll();
    await fleet.advance(3_000);
    fleet.network.conditions.isOpen = (from) => from !== a.address;
    a.write("three");
    b.write("of b");
    await fleet.advance(3_000);
    const [view] = a.gossip.peers();
    expect(Object.fromEntries(view!.vector)).toEqual({ "a/1": 2, "b/1": 1 });
    expect(view).toMatchObject({ node: "b", address: b.address, how: "static" });
    expect(view!.rttMs).toBeLessThan(1);
  });
});

describe("what is said", () => {
  test("is received once by all subscribers, though it is sent twice", async () => {
    await using fleet = createTestFleet();
    const [a, b, c] = open(fleet, "a", "b", "c");
    await fleet.meetAll();
    const heard: string[] = [];
    b.gossip.subscribe("wake", ({ node, session }, bytes) =>
      heard.push(`b ${node} ${session === a.gossip.session} ${textOf(bytes)}`),
    );
    const stop = c.gossip.subscribe("wake", (_from, bytes) => heard.push(`c ${textOf(bytes)}`));
    c.gossip.subscribe("desired", () => heard.push("never"));
    a.gossip.publish("wake", Buffer.from("up"));
    await fleet.advance(1_000);
    expect(heard.sort()).toEqual(["b a true up", "c up"]);
    stop();
    a.gossip.publish("wake", Buffer.from("again"));
    await fleet.advance(1_000);
    expect(heard).toHaveLength(3);
  });

  test("reaches a peer that missed the first packet, and never after something newer", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    const heard: string[] = [];
    b.gossip.subscribe("heartbeat", (_from, bytes) => heard.push(textOf(bytes)));
    fleet.network.conditions.loss = 1;
    a.gossip.publish("heartbeat", Buffer.from("1"));
    await fleet.advance(100);
    fleet.network.conditions.loss = 0;
    await fleet.advance(150);
    expect(heard).toEqual(["1"]);
    fleet.network.conditions.delayMs = { min: 50, max: 50 };
    a.gossip.publish("heartbeat", Buffer.from("2"));
    fleet.network.conditions.delayMs = { min: 0, max: 0 };
    a.gossip.publish("heartbeat", Buffer.from("3"));
    await fleet.advance(1_000);
    expect(heard).toEqual(["1", "3"]);
  });

  test("has at most 1,000 bytes, and a listener that throws harms nobody", async () => {
    await using fleet = createTestFleet();
    const [a, b] = open(fleet, "a", "b");
    await fleet.meetAll();
    expect(() => a.gossip.publish("desired", new Uint8Array(1_001))).toThrow(/the limit is 1000/);
    const heard: number[] = [];
    b.gossip.subscribe("desired", () => {
      throw new Error("a bug of a listener");
    });
    b.gossip.subscribe("desired", (_from, bytes) => heard.push(bytes.length));
    a.gossip.publish("desired", new Uint8Array(1_000));
    await fleet.advance(10);
    expect(heard).toEqual([1_000]);
  });
});
