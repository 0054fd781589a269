import { describe, expect, test } from "vitest";
import { systemRandom } from "../base/random.ts";
import { isLoopback, parseAddress } from "./address.ts";
import { makeKey, parseKeyring } from "./keyring.ts";

describe("keys", () => {
  test("are made, and read again", () => {
    const [one, two] = [makeKey(systemRandom), makeKey(systemRandom)];
    expect(one).not.toBe(two);
    const { keys } = parseKeyring([one, two]);
    expect(keys.map((key) => Buffer.from(key).toString("base64"))).toEqual([one, two]);
  });

  test.each([
    [[], /there is none/],
    [["short"], /not 32 bytes/],
    [[Buffer.alloc(33, "ab").toString("base64")], /not 32 bytes/],
    [[Buffer.alloc(32).toString("base64")], /the same byte repeated/],
    [Array.from({ length: 5 }, () => makeKey(systemRandom)), /4 are enough/],
  ])("that are none are refused, and never repeated in the message: %#", (texts, why) => {
    expect(() => parseKeyring(texts)).toThrow(why);
    try {
      parseKeyring(texts);
    } catch (error) {
      for (const text of texts) expect(String(error)).not.toContain(text);
    }
  });
});

describe("addresses", () => {
  test("are numbers with a port", () => {
    expect(parseAddress("10.0.0.7:9999")).toEqual({ host: "10.0.0.7", port: 9_999 });
    expect(parseAddress("[fe80::1]:1")).toEqual({ host: "fe80::1", port: 1 });
    const bad = ["", "host:1", "10.0.0.7", "10.0.0.7:0", "10.0.0.7:65536", "10.0.0.256:1", "::1:9"];
    for (const text of [...bad, "[::1]", "[10.0.0.7]:1", "10.0.0.7:1/../x"]) {
      expect(parseAddress(text)).toBe(undefined);
    }
  });

  test("of this machine are known", () => {
    for (const own of ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1"]) expect(isLoopback(own)).toBe(true);
    for (const other of ["10.0.0.1:1", "0.0.0.0:1", "[::]:1", "128.0.0.1:1", "nonsense"]) {
      expect(isLoopback(other)).toBe(false);
    }
  });
});
