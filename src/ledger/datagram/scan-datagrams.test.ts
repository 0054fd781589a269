import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headerRecord } from "../file-header.ts";
import { nodeId, sessionId } from "../testing/histories.ts";
import { checksumOfBytes } from "./checksum.ts";
import { datagramOf, encodeDatagram } from "./datagram-record.ts";
import type { Datagram } from "./datagram.ts";
import { scanDatagrams, type ScannedDatagram } from "./scan-datagrams.ts";

const [node, session] = [nodeId(1), sessionId(1)];
const text = fc.oneof(
  fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 20 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.constantFrom("␟␞", " a ", "a\u001f\u001e\nb\u001b", "\n"),
);
const anyDatagram: fc.Arbitrary<Datagram> = fc.record({
  stamp: fc.constantFrom("2026-11-15T19:02:03.004Z-0007", "2028-02-29T23:59:59.999Z-ffff"),
  node: fc.constant(node),
  session: fc.constant(session),
  number: fc.integer({ min: 1, max: 2 ** 40 }),
  commit: fc.constant(2 ** 41),
  target: text,
  field: text,
  value: fc.option(text, { nil: undefined }),
  source: text,
  causality: fc.constantFrom("", `2026-11-15T19:02:03.004Z-0007/${node}/${session}/7`),
});

const read = (body: Uint8Array, use: (found: ScannedDatagram) => void = () => {}) =>
  scanDatagrams(body, { node, session, onHeader: () => {}, onDatagram: use });
const bytesOf = (lines: readonly string[]) => Buffer.from(headerRecord("segment") + lines.join(""));

describe("datagrams in bytes", () => {
  test("any datagram is read from its bytes as it was written, and where it stands", () => {
    fc.assert(
      fc.property(fc.array(anyDatagram, { maxLength: 6 }), (datagrams) => {
        const lines = datagrams.map(encodeDatagram);
        const body = bytesOf(lines);
        const found: Datagram[] = [];
        const end = read(body, (one) => {
          const line = lines[found.length];
          expect(body.toString("utf8", one.from, one.to)).toBe(line);
          const datagram = one.datagram();
          const { target, stamp, number, commit } = datagram;
          expect(one).toMatchObject({ number, commit });
          expect([one.target(), one.stamp()]).toEqual([target, stamp]);
          expect(one.targetChecksum()).toBe(crc32(target));
          found.push(datagram);
        });
        expect(found).toEqual(datagrams);
        expect(end).toBe(body.length);
      }),
      { numRuns: 300 },
    );
  });

  test("the checksum is that of zlib, for any stretch", () => {
    const stretch = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(stretch, fc.nat({ max: 10 }), (bytes, from) => {
        const start = Math.min(from, bytes.length);
        expect(checksumOfBytes(bytes, start, bytes.length)).toBe(crc32(bytes.subarray(start)));
      }),
    );
  });

  test("what we would not have written is refused, though its checksum fits", () => {
    const [good] = fc.sample(anyDatagram, { numRuns: 1, seed: 1 });
    const plain = { ...good!, target: "company/a", field: "f", value: '"x"', source: "system" };
    const sealed = (content: string) =>
      `${content}\u001f${crc32(content).toString(16).padStart(8, "0")}\u001f\u001e\n`;
    const content = encodeDatagram(plain).split("\u001f").slice(0, -2).join("\u001f");
    expect(() => read(bytesOf([sealed(content)]))).not.toThrow();
    const wrong: readonly (readonly [string, string])[] = [
      [content.replace(plain.stamp, "2026-02-30T19:02:03.004Z-0007"), "its stamp is not valid"],
      [content.replace(plain.stamp, "2026-11-15T19:02:63.004Z-0007"), "its stamp is not valid"],
      [content.replace(node, nodeId(2)), "it is datagram"],
      [content.replace(String(plain.commit), "0"), "its number is not valid"],
      [content.replace(String(plain.number), String(2 ** 42)), "its commit ends before it"],
      [content.replace("\u001ff\u001f", "\u001f"), "units, not 11"],
    ];
    for (const [text, why] of wrong) expect(() => read(bytesOf([sealed(text)]))).toThrow(why);
    const damaged = encodeDatagram(plain).replace("company", "campany");
    expect(() => read(bytesOf([damaged]))).toThrow("its checksum does not match");
    expect(() => datagramOf([])).toThrow("0 units");
  });

  test("invalid UTF-8 is refused, though its checksum fits", () => {
    const [good] = fc.sample(anyDatagram, { numRuns: 1, seed: 1 });
    const plain = { ...good!, target: "company/a", field: "f", value: '"é"', source: "system" };
    const line = Buffer.from(encodeDatagram(plain));
    const at = line.indexOf("é");
    line[at + 1] = 0x22; // the first half of a character, and a quotation mark
    const content = line.subarray(0, line.length - 12);
    line.write(crc32(content).toString(16).padStart(8, "0"), line.length - 11, "latin1");
    expect(() => read(Buffer.concat([bytesOf([]), line]))).toThrow("it is not UTF-8");
  });
});
