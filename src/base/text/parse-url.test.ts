import { describe, expect, test } from "vitest";
import { asciiHost, parseUrl } from "./parse-url.ts";

describe("parseUrl", () => {
  // URL.canParse fails here on Node 22.14 and 20: only when its caller is compiled, so a few calls
  // prove nothing (lesson 66), and only for strings in one piece, as JSON and files give them.
  test("takes hosts with umlauts after 5,000 calls as it did at the first", () => {
    const names = ["gärtnerei", "müller", "café", "bäckerei-böhm", "peluquería"];
    const made = Array.from(
      { length: 5_000 },
      (_, at) => `https://www.${names[at % names.length]}-${at}.de/`,
    );
    const addresses = JSON.parse(JSON.stringify(made)) as readonly string[];
    const lost = addresses.filter((address) => parseUrl(address) === undefined);
    expect(lost).toEqual([]);
    expect(parseUrl("https://www.gärtnerei-schön.de/")?.hostname).toBe(
      "www.xn--grtnerei-schn-bfb5z.de",
    );
  });

  test("returns undefined for what is not a URL, and follows a base", () => {
    expect(parseUrl("no url")).toBeUndefined();
    expect(parseUrl("/a?b", "https://x.example/c")?.href).toBe("https://x.example/a?b");
    expect(parseUrl("/a")).toBeUndefined();
  });
});

describe("asciiHost", () => {
  test("spells a host in one way", () => {
    for (const text of ["Gärtnerei.DE", "xn--grtnerei-0za.de", " gärtnerei.de. "]) {
      expect(asciiHost(text), text).toBe("xn--grtnerei-0za.de");
    }
    expect(asciiHost("例え.テスト")).toBe("xn--r8jz45g.xn--zckzah");
    expect(asciiHost("acme.example")).toBe("acme.example");
  });

  test("is undefined for what is not a host", () => {
    for (const text of ["", "a b.de", "ä/x.de", "a..b", "ü@x.de", "ü:80"]) {
      expect(asciiHost(text), text).toBeUndefined();
    }
  });
});
