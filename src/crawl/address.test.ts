import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAddressGuard } from "./address.ts";

const guard = createAddressGuard();

describe("which addresses may be connected to", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.255.255",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "198.18.0.1",
    "168.63.129.16",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2001::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "ff02::1",
    "not an address",
    "",
  ])("not %s", (address) => expect(guard.isAllowed(address)).toBe(false));

  test.each([
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "169.253.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ])("%s", (address) => expect(guard.isAllowed(address)).toBe(true));

  test("a setting opens a network, in any spelling, and nothing else", () => {
    const opened = createAddressGuard({ allow: ["10.1.0.0/16", "::1"] });
    expect(opened.isAllowed("10.1.2.3")).toBe(true);
    expect(opened.isAllowed("::ffff:10.1.2.3")).toBe(true);
    expect(opened.isAllowed("::1")).toBe(true);
    expect(opened.isAllowed("10.2.0.1")).toBe(false);
    expect(() => createAddressGuard({ allow: ["10.1"] })).toThrow(/not an address or network/);
    expect(() => createAddressGuard({ allow: ["10.1.0.0/33"] })).toThrow(
      /not an address or network/,
    );
  });

  test("an IPv4 address is judged alike in every IPv6 form that carries it", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const forms = [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`];
        const expected = guard.isAllowed(address);
        expect(forms.map((form) => guard.isAllowed(form))).toEqual(forms.map(() => expected));
      }),
    );
  });
});
