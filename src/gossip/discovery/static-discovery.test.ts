import { expect, test } from "vitest";
import { silentLogger, type Logger } from "../../base/log/logger.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { systemClock } from "../../base/clock.ts";
import { createStaticDiscovery, parsePeer } from "./static-discovery.ts";

test("addresses are found as they are, again and again", async () => {
  const clock = createTestClock();
  const reported: string[] = [];
  await using discovery = createStaticDiscovery({
    peers: ["10.0.0.7:9999", "[fd00::7]:1"],
    found: (peers) => reported.push(...peers.map(({ address }) => address)),
    clock,
    log: silentLogger,
  });
  expect(discovery.how).toBe("static");
  await clock.advance(0);
  expect(reported).toEqual(["10.0.0.7:9999", "[fd00::7]:1"]);
  await clock.advance(60_000);
  expect(reported).toHaveLength(4);
});

test("a name is really looked up", async () => {
  const reported: string[] = [];
  await using _discovery = createStaticDiscovery({
    peers: ["localhost:9999"],
    found: (peers) => reported.push(...peers.map(({ address }) => address)),
    clock: systemClock,
    log: silentLogger,
  });
  await expect.poll(() => reported).not.toEqual([]);
  for (const address of reported) expect(["127.0.0.1:9999", "[::1]:9999"]).toContain(address);
});

test("a name that gets another address is found there, and one that fails is said once", async () => {
  const clock = createTestClock();
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const log: Logger = { ...silentLogger, warn: say, info: say };
  const reported: string[] = [];
  const asks: number[] = [];
  let address: string | undefined;
  await using _discovery = createStaticDiscovery({
    peers: ["pi-7.example:9999"],
    found: (peers) => reported.push(...peers.map((peer) => peer.address)),
    resolve: async () => {
      asks.push(clock.monotonicMs());
      if (!address) throw new Error("getaddrinfo ENOTFOUND pi-7.example");
      return [address];
    },
    clock,
    log,
  });
  await clock.advance(20_000);
  expect(asks).toEqual([0, 2_000, 6_000, 14_000]);
  expect(reported).toEqual([]);
  expect(said).toEqual(["a static peer has no address"]);
  address = "10.0.0.7";
  await clock.advance(60_000);
  expect(reported[0]).toBe("10.0.0.7:9999");
  address = "10.0.0.8";
  await clock.advance(60_000);
  expect(reported.at(-1)).toBe("10.0.0.8:9999");
  expect(said).toEqual(["a static peer has no address", "a static peer has an address again"]);
});

test("a name with many addresses gives some, and nothing is reported after the end", async () => {
  const clock = createTestClock();
  const reported: number[] = [];
  const discovery = createStaticDiscovery({
    peers: ["many.example:1"],
    found: (peers) => reported.push(peers.length),
    resolve: async () => Array.from({ length: 50 }, (_, at) => `10.0.0.${at}`),
    clock,
    log: silentLogger,
  });
  await clock.advance(1);
  await discovery[Symbol.asyncDispose]();
  await clock.advance(600_000);
  expect(reported).toEqual([8]);
  expect(clock.pendingTimers()).toBe(0);
});

test.each(["", "pi-7", "pi-7:", "pi-7:0", "pi-7:65536", ":9999", "a b:9999", "../x:1", "[pi]:1", "fd00::7:1"])(
  "%s is no peer",
  (text) => {
    expect(() => parsePeer(text)).toThrow(`"${text}" is not an address of a peer: write host:port`);
  },
); // prettier-ignore
