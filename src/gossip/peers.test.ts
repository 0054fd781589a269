import { describe, expect, test } from "vitest";
import { limits } from "./limits.ts";
import { createTestFleet } from "./testing/test-fleet.ts";

const minutes = (count: number) => count * 60_000;

describe("peers", () => {
  test("one address is enough to find the whole fleet", async () => {
    await using fleet = createTestFleet();
    const [seed, ...others] = ["s", "a", "b", "c", "d"].map((name) => fleet.open(name));
    for (const { gossip } of others) gossip.meet("static", [{ address: seed!.address }]);
    await fleet.advance(30_000);
    for (const { gossip } of fleet.nodes) expect(gossip.peers()).toHaveLength(4);
    expect(new Set(others[0]!.gossip.peers().map(({ how }) => how))).toContain("static");
  });

  test("lesson 45: a peer that is silent for ten minutes is forgotten, and comes back", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    a.gossip.meet("mdns", [{ address: b.address, node: "b" }]);
    await fleet.advance(2_000);
    expect(a.gossip.peers()).toMatchObject([{ node: "b", how: "mdns" }]);
    fleet.network.conditions.isOpen = () => false;
    await fleet.advance(minutes(9));
    expect(a.gossip.peers()).toHaveLength(1);
    await fleet.advance(minutes(2));
    expect(a.gossip.peers()).toEqual([]);
    fleet.network.conditions.isOpen = () => true;
    await fleet.advance(minutes(12));
    expect(a.gossip.peers()).toEqual([]); // no node finds another any more
    const sent = fleet.network.sent();
    await fleet.advance(minutes(5));
    expect(fleet.network.sent()).toBe(sent);
    a.gossip.meet("mdns", [{ address: b.address, node: "b" }]);
    await fleet.advance(1_000);
    expect(a.gossip.peers()).toHaveLength(1);
    expect(a.gossip.counters().peersForgotten).toBe(1);
  });

  test("a static one is greeted for good", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a");
    a.gossip.meet("static", [{ address: "10.0.0.77:9999" }]);
    await fleet.advance(minutes(60));
    fleet.open("b", { address: "10.0.0.77:9999" });
    await fleet.advance(limits.helloMsMax + 1_000);
    expect(a.gossip.peers()).toMatchObject([{ node: "b", how: "static" }]);
  });

  test("a restart at the same address takes the place of the life before", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    await fleet.meetAll();
    const [before] = a.gossip.peers();
    const closing = b.gossip[Symbol.asyncDispose]();
    await fleet.advance(0);
    await closing;
    const again = fleet.open("b", { address: b.address, replica: b.replica });
    await fleet.advance(3_000);
    const peers = a.gossip.peers();
    expect(peers).toHaveLength(1);
    expect(peers[0]!.session).toBe(again.gossip.session);
    expect(peers[0]!.session).not.toBe(before!.session);
    a.write("one");
    await fleet.advance(1);
    expect(again.replica.records("a/1")).toHaveLength(1);
  });

  test("a restart elsewhere is known by its node, and the old place is left", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    await fleet.meetAll();
    const closing = b.gossip[Symbol.asyncDispose]();
    await fleet.advance(0);
    await closing;
    await fleet.advance(6_000);
    const moved = fleet.open("b", { address: "10.0.7.7:9999", replica: b.replica });
    moved.gossip.meet("static", [{ address: a.address }]);
    await fleet.advance(2_000);
    expect(a.gossip.peers()).toMatchObject([{ node: "b", address: "10.0.7.7:9999" }]);
  });

  test("lesson 47: a clone of a disk is a peer of its own, and both are reported", async () => {
    await using fleet = createTestFleet();
    const a = fleet.open("a");
    const [one, two] = [
      fleet.open("b", { address: "10.0.0.8:9999" }),
      fleet.open("b", { address: "10.0.0.9:9999" }),
    ];
    a.gossip.meet("static", [{ address: one.address }, { address: two.address }]);
    await fleet.advance(2_000);
    expect(a.gossip.peers()).toHaveLength(2);
    a.write("one");
    await fleet.advance(1);
    for (const { replica } of [one, two]) expect(replica.records("a/1")).toHaveLength(1);
  });

  test("a newer packet from elsewhere moves a peer, an older one does not", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    await fleet.meetAll();
    const packets: Uint8Array[] = [];
    fleet.network.watch((from, _to, packet) => from === b.address && packets.push(packet));
    fleet.network.conditions.isOpen = (from) => from !== b.address;
    await fleet.advance(4_000);
    fleet.network.conditions.isOpen = () => true;
    const { transport } = fleet.network.join("10.0.9.9:9999"); // as behind a router that changed its mind
    transport.send(a.address, packets.at(-1)!);
    await fleet.advance(0);
    expect(a.gossip.peers()).toMatchObject([{ address: "10.0.9.9:9999" }]);
    const { transport: other } = fleet.network.join("10.0.9.8:9999");
    other.send(a.address, packets[0]!);
    await fleet.advance(0);
    expect(a.gossip.peers()).toMatchObject([{ address: "10.0.9.9:9999" }]);
  });

  test("at rest ten nodes send less than 1 kB/s each", async () => {
    await using fleet = createTestFleet();
    for (let at = 0; at < 10; at++) fleet.open(`n${at}`).write("one");
    await fleet.meetAll();
    await fleet.advance(3_000);
    let bytes = 0;
    fleet.network.watch((_from, _to, packet) => (bytes += packet.length));
    await fleet.advance(20_000);
    const perS = bytes / 20 / 10;
    expect(perS).toBeLessThan(250);
    expect(perS).toBeGreaterThan(50);
  });
});
