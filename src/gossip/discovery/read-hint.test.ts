import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "../address.ts";
import { readHint, type DiscoveryHint } from "./read-hint.ts";

const rules = { cluster: "0123456789abcdef", node: "0000000000000" };
const other = "abcdefghjkmnp";
const good = {
  port: 9999,
  txt: { v: "1", cluster: rules.cluster, node: other },
  addresses: ["10.0.0.7", "fd00::7"],
  from: "10.0.0.8",
};

test("a node of ours: where its packet came from, then what it says", () => {
  expect(readHint(good, rules)).toEqual([
    { node: other, address: "10.0.0.8:9999" },
    { node: other, address: "10.0.0.7:9999" },
    { node: other, address: "[fd00::7]:9999" },
  ]);
});

test.each<[string, DiscoveryHint]>([
  ["another fleet", { ...good, txt: { ...good.txt, cluster: "fedcba9876543210" } }],
  ["no fleet", { ...good, txt: { v: "1", node: other } }],
  ["another version", { ...good, txt: { ...good.txt, v: "2" } }],
  ["ourselves", { ...good, txt: { ...good.txt, node: rules.node } }],
  ["lesson 45: a name that leads out of a folder", { ...good, txt: { ...good.txt, node: "../../etc/ab" } }], // prettier-ignore
  ["a name that is too long", { ...good, txt: { ...good.txt, node: other.repeat(9) } }],
  ["no text", { ...good, txt: undefined }],
  ["a port that is none", { ...good, port: 65_536 }],
  ["a broken port", { ...good, port: 99.5 }],
])("%s is nobody", (_, hint) => {
  expect(readHint(hint, rules)).toEqual([]);
});

test("names of hosts are not looked up, and of many addresses only the first are taken", () => {
  const addresses = ["evil.example", ...Array.from({ length: 99 }, (_, at) => `10.1.0.${at}`)];
  const found = readHint({ ...good, addresses }, rules);
  expect(found.map(({ address }) => address)).not.toContain("evil.example:9999");
  expect(found).toHaveLength(7);
});

test("lesson 45: whatever is said, only peers of ours with addresses come of it", () => {
  const value = fc.oneof(fc.anything(), fc.constantFrom<unknown>(...Object.values(good)));
  const txt = fc.oneof(fc.anything(), fc.record({ v: fc.constant("1"), cluster: value, node: value })); // prettier-ignore
  const hint = fc.record({ port: value, txt, addresses: value, from: value });
  fc.assert(
    fc.property(hint, (any) => {
      for (const { node, address } of readHint(any, rules)) {
        expect(node).toBe(other);
        expect(parseAddress(address)).toBeDefined();
      }
    }),
  );
});
