import { describe, expect, test } from "vitest";
import { createTestFleet, textOf } from "./testing/test-fleet.ts";

const textsOf = (replica: { records(origin: string): readonly Uint8Array[] }, origin: string) =>
  replica.records(origin).map(textOf);

describe("gossip", () => {
  test("what one writes all others have at once, each once", async () => {
    await using fleet = createTestFleet();
    const [a, b, c] = ["a", "b", "c"].map((name) => fleet.open(name)) as never[] as ReturnType<
      typeof fleet.open
    >[];
    await fleet.meetAll();
    expect(a!.gossip.peers().map(({ node }) => node)).toEqual(["b", "c"]);
    a!.write("one", "two");
    await fleet.advance(1);
    for (const node of [b!, c!]) expect(textsOf(node.replica, "a/1")).toEqual(["one", "two"]);
    expect(b!.replica.stored).toEqual(["a/1/1", "a/1/2"]);
    expect(a!.gossip.counters().asksOut).toBe(0);
  });

  test("lost packets heal", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    await fleet.meetAll();
    fleet.network.conditions.loss = 1;
    a.write("one", "two");
    await fleet.advance(1);
    fleet.network.conditions.loss = 0;
    a.write("three");
    await fleet.advance(40);
    expect(textsOf(b.replica, "a/1")).toEqual([]);
    await fleet.advance(20);
    expect(textsOf(b.replica, "a/1")).toEqual(["one", "two", "three"]);
  });

  test("large values are pulled", async () => {
    await using fleet = createTestFleet();
    const [a, b] = [fleet.open("a"), fleet.open("b")];
    await fleet.meetAll();
    await fleet.advance(3_000);
    const large = "x".repeat(100_000);
    a.write("one", large, "two");
    await fleet.advance(200);
    expect(textsOf(b.replica, "a/1")).toEqual(["one", large, "two"]);
    expect(b.gossip.counters().pulls).toBe(1);
  });
});
