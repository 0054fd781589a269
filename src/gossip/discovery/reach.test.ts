import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { reachOf, type Interfaces } from "./reach.ts";

const card = (cidr: string, internal = false) => ({
  address: cidr.split("/")[0]!,
  cidr,
  internal,
  netmask: "",
  mac: "02:00:00:00:00:01",
  ...(cidr.includes(":") ? { family: "IPv6" as const, scopeid: 0 } : { family: "IPv4" as const }),
});

const interfaces: Interfaces = {
  lo: [card("127.0.0.1/8", true), card("::1/128", true)],
  docker0: [card("172.17.0.1/16")],
  "br-0123456789ab": [card("172.18.0.1/16")],
  virbr0: [card("192.168.122.1/24")],
  eth0: [card("fe80::1/64"), card("fd00::7/64"), card("192.168.1.7/24"), card("169.254.3.4/16")],
  br0: [card("10.0.0.7/24")], // a real one may be a bridge too
};
const reach = (bound: string) => reachOf({ bound, interfaces });

describe("what is announced", () => {
  test("neither loopback nor link-local nor what is inside of this machine", () => {
    expect(reach("0.0.0.0:9999").own).toEqual(["192.168.1.7:9999", "10.0.0.7:9999"]);
    expect(reach("[::]:9999").own).toEqual(["192.168.1.7:9999", "10.0.0.7:9999", "[fd00::7]:9999"]);
  });

  test("only what the socket is bound to", () => {
    expect(reach("10.0.0.7:99").own).toEqual(["10.0.0.7:99"]);
    expect(reach("[fd00::7]:99").own).toEqual(["[fd00::7]:99"]);
    expect(reach("172.17.0.1:99").own).toEqual([]);
    expect(reach("127.0.0.1:99").own).toEqual(["127.0.0.1:99"]);
  });

  test("at most eight", () => {
    const many = Array.from({ length: 20 }, (_, at) => card(`10.1.${at}.1/24`));
    expect(reachOf({ bound: "0.0.0.0:9", interfaces: { eth0: many } }).own).toHaveLength(8);
  });

  test("this machine can be asked", () => {
    const hosts = Object.values(networkInterfaces()).flatMap((all) => all!.map((one) => one.address)); // prettier-ignore
    for (const own of reachOf({ bound: "0.0.0.0:9999" }).own)
      expect(hosts).toContain(own.slice(0, -":9999".length));
  });
});

describe("what is believed of others", () => {
  test.each([
    ["192.168.1.9:9999", true],
    ["8.8.8.8:1", true],
    ["127.0.0.1:9999", false],
    ["169.254.1.1:9999", false],
    ["0.0.0.0:9999", false],
    ["224.0.0.251:5353", false],
    ["255.255.255.255:9999", false],
    ["172.17.0.5:9999", false], // the reader's own docker0
    ["172.18.9.9:9999", false],
    ["172.19.0.5:9999", true],
    ["[fd00::9]:9999", false], // an IPv4 socket does not send there
    ["192.168.1.9:0", false],
    ["pi-7:9999", false],
    ["", false],
  ])("an IPv4 socket and %s: %s", (address, isAccepted) => {
    expect(reach("0.0.0.0:9999").accepts(address)).toBe(isAccepted);
  });

  test.each([
    ["[fd00::9]:9999", true],
    ["192.168.1.9:9999", true],
    ["[fe80::9]:9999", false],
    ["[::1]:9999", false],
    ["[::]:9999", false],
    ["[ff02::fb]:5353", false],
    ["[::ffff:127.0.0.1]:9999", false],
  ])("an IPv6 socket and %s: %s", (address, isAccepted) => {
    expect(reach("[::]:9999").accepts(address)).toBe(isAccepted);
  });

  test("bound to loopback, loopback only", () => {
    const { accepts } = reach("127.0.0.1:9999");
    expect(["127.0.0.1:1", "[::1]:1", "10.0.0.7:1"].map(accepts)).toEqual([true, true, false]);
  });
});
