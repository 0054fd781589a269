import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { subkeyOf } from "../keyring.ts";
import { cutRange, packItems } from "../packing.ts";
import { packetBytesMax } from "../transport.ts";
import { createReader, createWriter } from "./bytes.ts";
import { readItems, writeItem, type Item } from "./items.ts";
import { clusterHash, headerSize, openPacket, readHeader, sealPacket, tagBytes } from "./packet.ts";
import { createReplayWindow, windowPackets } from "./replay-window.ts";

const key = Uint8Array.from({ length: 32 }, (_, at) => at);
const [node, session] = ["4xkq0zt9m3hbn", "9k2v7c1m4p8r5t6w3x0y2z1abc"];
const cluster = clusterHash("golden");

const bodyOf = (items: readonly Item[]) => {
  const writer = createWriter();
  for (const item of items) writeItem(writer, item);
  return writer.done();
};

const name = fc.stringMatching(/^[0-9a-z]{1,32}$/);
const origin = fc.tuple(name, name).map((names) => names.join("/"));
const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1_000 });
const bytes = (max: number) => fc.uint8Array({ maxLength: max });
const token = fc.uint8Array({ minLength: 16, maxLength: 16 });
const hash = fc.uint8Array({ minLength: 8, maxLength: 8 });
const port = fc.integer({ min: 0, max: 65_535 });
const range = fc.record({
  origin,
  from: number,
  records: fc.array(bytes(300), { maxLength: 4 }),
});
const entries = fc.array(fc.record({ origin, number }), { maxLength: 10 });
const span = fc
  .tuple(number, number)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const kind = <Kind extends string>(word: Kind) => fc.constant(word);
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constantFrom("challenge" as const, "proof" as const), token }),
  fc.record({ kind: kind("summary"), hash, sentMs: fc.nat(), pullPort: port }),
  fc.record({ kind: kind("echo"), hash, sentMs: fc.nat(), pullPort: port }),
  fc.record({ kind: kind("chunk"), after: origin, through: fc.constant(""), entries }),
  fc.record({ kind: kind("have"), entries }),
  fc.record({ kind: kind("push"), hops: fc.nat(8), range }),
  fc.record({ kind: kind("answer"), range }),
  fc.tuple(origin, span).map(([of, part]) => ({ kind: "ask" as const, origin: of, ...part })),
  fc.record({
    kind: kind("ended"),
    origin,
    why: fc.constantFrom("sent", "large", "gone", "behind", "busy"),
    next: number,
  }),
  fc.record({ kind: kind("message"), topic: fc.nat(255), number, bytes: bytes(1_000) }),
  fc.record({ kind: kind("peers"), addresses: fc.array(fc.constant("10.0.0.1:9999")) }),
  fc
    .tuple(token, origin, span)
    .map(([of, from, part]) => ({ kind: "pull" as const, token: of, origin: from, ...part })),
  fc.record({ kind: kind("pulled"), token, range: fc.option(range, { nil: undefined }) }),
);

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, part: unknown) =>
      part instanceof Uint8Array ? Buffer.from(part).toString("hex") : part,
    ),
  );

describe("items", () => {
  test("come back unchanged", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), (items) => {
        expect(plain(readItems(bodyOf(items)))).toEqual(plain(items));
      }),
      { numRuns: 300 },
    );
  });

  test("any bytes are read, or refused as malformed, and nothing else happens", () => {
    fc.assert(
      fc.property(bytes(300), fc.nat(20), (body, first) => {
        for (const tried of [body, Uint8Array.of(first, ...body)]) {
          try {
            readItems(tried);
          } catch (error) {
            expect((error as AppError).code).toBe("gossip_malformed");
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("numbers have one reading, up to the largest whole one", () => {
    for (const value of [0, 1, 127, 128, 300, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const writer = createWriter(1);
      writer.number(value);
      expect(createReader(writer.done()).number()).toBe(value);
    }
    for (const bad of [[255, 255, 255, 255, 255, 255, 255, 255, 1], [128], []]) {
      expect(() => createReader(Uint8Array.from(bad)).number()).toThrow(/cannot be read/);
    }
  });
});

describe("packets", () => {
  const body = bodyOf([
    { kind: "push", hops: 3, range: { origin: "a/b", from: 7, records: [Buffer.from("hello")] } },
  ]);
  const seal = (counter: number) =>
    sealPacket({ cluster, node, session, counter, subkey: subkeyOf(key, node, session), body });

  test("the bytes of one are pinned: docs/formats/gossip.md describes them", () => {
    expect(Buffer.from(body).toString("hex")).toBe("070303612f6207010568656c6c6f");
    expect(Buffer.from(seal(258)).toString("hex")).toMatchInlineSnapshot(
      `"01fcadf5f4b504c73b0d34786b71307a74396d3368626e1a396b32763763316d347038723574367733783079327a316162630000000001020768405608bdc6c3014712ccf67312665831e07858751c60be0c2216e55a"`,
    );
  });

  test("open with the same key, node, session, counter and header only", () => {
    const packet = seal(1);
    const header = readHeader(packet, cluster);
    if (typeof header === "string") throw new Error(header);
    expect(header).toMatchObject({ node, session, counter: 1 });
    const subkey = subkeyOf(key, node, session);
    expect(Buffer.from(openPacket(packet, header, subkey)!).equals(body)).toBe(true);
    expect(openPacket(packet, header, subkeyOf(key, node, `${session.slice(1)}0`))).toBe(undefined);
    expect(openPacket(packet, { ...header, counter: 2 }, subkey)).toBe(undefined);
    expect(readHeader(packet, clusterHash("other"))).toBe("cluster");
    expect(readHeader(Uint8Array.of(2, ...packet.subarray(1)), cluster)).toBe("version");
    for (let length = 0; length < headerSize(node, session) + tagBytes; length++) {
      expect(["malformed", "version"]).toContain(readHeader(packet.subarray(0, length), cluster));
    }
  });

  test("two never share key and nonce: another counter, another session, other bytes", () => {
    expect(Buffer.from(seal(1)).equals(seal(2))).toBe(false);
    const [one, two] = [subkeyOf(key, "a", "bc"), subkeyOf(key, "ab", "c")];
    expect(one.equals(two)).toBe(false);
  });

  test("every cut of a range fits, and none of it is lost", () => {
    const room = packetBytesMax - headerSize(node, session) - tagBytes;
    fc.assert(
      fc.property(
        origin,
        number,
        fc.array(bytes(1_500), { maxLength: 12 }),
        (of, from, records) => {
          const { pieces, large } = cutRange({ origin: of, from, records }, room);
          const bodies = packItems(
            pieces.map((piece) => ({ kind: "push" as const, hops: 8, range: piece })),
            room,
          );
          for (const one of bodies) expect(one.length).toBeLessThanOrEqual(room);
          const numbers = pieces.flatMap((piece) => piece.records.map((_, at) => piece.from + at));
          const all = [...numbers, ...large].sort((a, b) => a - b);
          expect(all).toEqual(records.map((_, at) => from + at));
          for (const at of large) expect(records[at - from]!.length).toBeGreaterThan(1_000);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("the replay window", () => {
  test("lets each counter in once, whatever the order, and nothing older than itself", () => {
    const steps = fc.array(fc.integer({ min: 1, max: 6_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), steps, (start, counters) => {
        const window = createReplayWindow(start);
        const seen = new Set<number>();
        let highest = start;
        for (const counter of counters) {
          const expected =
            counter > start && counter > highest - windowPackets && !seen.has(counter);
          expect(window.isNew(counter)).toBe(expected);
          if (!expected) continue;
          window.mark(counter);
          seen.add(counter);
          highest = Math.max(highest, counter);
        }
      }),
      { numRuns: 300 },
    );
  });
});
