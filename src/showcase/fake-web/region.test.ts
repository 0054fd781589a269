import { gunzipSync } from "node:zlib";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { parse } from "tldts";
import { systemClock } from "../../base/clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { extractPage } from "../../extract/index.ts";
import { encodePage } from "./encode-page.ts";
import { placesJsonl, websiteOf } from "./places.ts";
import { startRegionServer } from "./region-server.ts";
import { scoreOf, expectedOf } from "./expected-data.ts";
import { makeRegion } from "./region.ts";
import { bombBytes, makeSite, type Site } from "./site.ts";

const size = 80;
const regionOf = (seed: number) => makeRegion({ size, random: createSeededRandom(seed) });
const sitesOf = (seed: number): readonly Site[] => {
  const random = createSeededRandom(seed + 1);
  return regionOf(seed).businesses.map((business) => makeSite(business, random));
};

describe("a region", () => {
  test("is the same for the same seed, and another for another", () => {
    expect(placesJsonl(regionOf(1))).toBe(placesJsonl(regionOf(1)));
    expect(placesJsonl(regionOf(1))).not.toBe(placesJsonl(regionOf(2)));
    expect(sitesOf(1).map(({ pages }) => pages)).toEqual(sitesOf(1).map(({ pages }) => pages));
  });

  test("has businesses in every tile for every phrase, in five languages, with all oddities", () => {
    const { tiles, phrases, businesses } = regionOf(1);
    const targets = new Set(businesses.map(({ tile, phrase }) => `${tile} ${phrase}`));
    expect([tiles.length, phrases.length, targets.size]).toEqual([4, 2, 8]);
    expect(new Set(businesses.map(({ language }) => language.code)).size).toBe(5);
    expect(new Set(businesses.map(({ trait }) => trait)).size).toBe(16);
    expect(new Set(businesses.map(({ domain }) => domain)).size).toBe(size);
    for (const { domain, latitude, longitude, tile } of businesses) {
      expect(parse(domain).isIcann).toBe(true);
      expect(
        `${Math.floor(latitude * 10 + 1e-9) / 10}_${(Math.floor(longitude * 10 + 1e-9) / 10).toFixed(1)}`,
      ).toBe(tile);
    }
  });

  test("can be read as places", () => {
    const region = regionOf(1);
    const places = placesJsonl(region, 8080)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { website: string });
    expect(places).toHaveLength(size);
    expect(places[0]!.website).toBe(websiteOf(region.businesses[0]!, 8080));
  });

  test("has sites of five pages and more, whose expected data can be found by extraction", () => {
    const pages = sitesOf(1).flatMap((site) => site.pages.map((page) => ({ page, site })));
    expect(pages.length).toBeGreaterThanOrEqual(size * 5);
    const found = pages.map(({ page, site }) => ({
      expected: page.expected,
      facts: extractPage({
        html: page.html,
        url: `${websiteOf(site.business)}${page.path.slice(1)}`,
        country: site.business.language.country,
        deobfuscate: "all",
      }),
    }));
    const score = (key: "emails" | "phones") =>
      scoreOf(
        found.map(({ expected, facts }) => ({
          expected: expected[key].map((one) => (typeof one === "string" ? one : one.value)),
          found: facts[key].map(({ value }) => value),
        })),
      );
    expect(score("emails")).toMatchObject({ missed: [], wrong: [] });
    expect(score("phones")).toMatchObject({ missed: [], wrong: [] });
    const socials = scoreOf(
      found.map(({ expected, facts }) => ({
        expected: expected.socials,
        found: facts.socials.map(({ url }) => url),
      })),
    );
    expect(socials).toMatchObject({ missed: [], wrong: [] });
  });

  test("expects nothing where a polite visitor may not go", () => {
    const forbidden = sitesOf(1).filter(({ outcome }) => outcome === "robots");
    expect(forbidden.length).toBeGreaterThan(0);
    for (const site of forbidden) expect(expectedOf(site, "all").emails).toEqual([]);
    const open = sitesOf(1).find(({ outcome }) => outcome === "done")!;
    expect(expectedOf(open, "all").emails.length).toBeGreaterThanOrEqual(
      expectedOf(open, "off").emails.length,
    );
  });
});

describe("a page's bytes", () => {
  test.each(["shift_jis", "utf-16le"] as const)("in %s can be read again", (charset) => {
    const text = "木村工務店 お問い合わせ";
    expect(new TextDecoder(charset).decode(encodePage(text, charset))).toBe(text);
  });

  test("in windows-1252 are the ones of its table", () => {
    const bytes = encodePage("Süß – “5 €” Ÿ", "windows-1252");
    expect(bytes.toString("hex")).toBe("53fcdf2096209335208094209f");
  });
});

describe("a region's server", () => {
  test("answers by host, and keeps its own log", async () => {
    const sites = sitesOf(1);
    await using server = await startRegionServer({ sites, clock: systemClock });
    const plain = sites.find(({ business }) => business.trait === "plain")!;
    const host = `www.${plain.business.domain}`;
    const first = await get(server.port, host, "/");
    expect([first.status, first.body.toString()]).toEqual([200, plain.pages[0]!.html]);
    await get(server.port, host, "/nothing/");
    expect((await get(server.port, "www.nobody.de", "/")).status).toBe(404);
    expect(server.requests().map(({ host: at, path, status }) => [at, path, status])).toEqual([
      [host, "/", 200],
      [host, "/nothing/", 404],
      ["www.nobody.de", "/", 404],
    ]);
    expect(server.gapMsMin(host)).toBeGreaterThan(0);
    expect(server.gapMsMin("www.nobody.de")).toBeUndefined();
  });

  test("is busy once, redirects, refuses robots, never ends, and throws a bomb", async () => {
    const sites = sitesOf(1);
    await using server = await startRegionServer({ sites, clock: systemClock });
    const ask = (trait: string, path: string) => {
      const site = sites.find(({ business }) => business.trait === trait)!;
      const contact = site.pages[1]!.path;
      return get(server.port, site.business.domain, path === "CONTACT" ? contact : path);
    };
    const busy = await ask("busy", "CONTACT");
    expect([busy.status, busy.headers["retry-after"]]).toEqual([429, "1"]);
    expect((await ask("busy", "CONTACT")).status).toBe(200);
    expect((await ask("redirects", "/")).headers.location).toMatch(/^\/[a-z]{2}\/$/);
    expect((await ask("redirects", "/loop/")).headers.location).toBe("/loop/again/");
    expect((await ask("robots_none", "/robots.txt")).body.toString()).toContain("Disallow: /\n");
    expect((await ask("robots_failing", "/robots.txt")).status).toBe(500);
    expect((await ask("endless", "/calendar/?page=7")).body.toString()).toContain("?page=8");
    const bomb = await ask("bomb", "/archive/");
    expect(bomb.body.length).toBeLessThan(bombBytes / 500);
    expect(gunzipSync(bomb.body).length).toBe(bombBytes);
    const japanese = await ask("shift_jis", "/");
    expect(new TextDecoder("shift_jis").decode(japanese.body)).toContain("ホーム");
  });
});

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function get(port: number, host: string, path: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    // A connection of its own: the server may close an idle one at the moment it is used again.
    const options = { host: "127.0.0.1", port, path, headers: { host }, agent: false };
    const call = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      );
    });
    call.on("error", reject);
    call.end();
  });
}
