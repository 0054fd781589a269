// process: own
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHttpFetcher } from "../adapters/http/http-fetcher.ts";
import { startSiteServer, type SiteAnswer } from "../testing/site-server.ts";
import { readSitemap, type ReadSitemapOptions } from "./read-sitemap.ts";
import { createXmlScanner } from "./xml-scanner.ts";

const send =
  (body: string | Uint8Array, type = "application/xml"): SiteAnswer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": type }).end(body);

async function read(answer: SiteAnswer, more: Partial<ReadSitemapOptions> = {}) {
  await using site = await startSiteServer({ pages: { "/sitemap.xml": answer } });
  await using fetcher = createHttpFetcher({
    userAgent: "forager/1",
    allowPrivateNetworks: ["127.0.0.1"],
  });
  const urls: string[] = [];
  const file = await readSitemap({
    fetcher,
    url: `${site.origin}/sitemap.xml`,
    onUrl: (url) => (urls.push(url), "more"),
    ...more,
  });
  return { ...file, found: urls };
}

const urlset = (urls: readonly string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
    .map((url) => `<url><loc>${url}</loc><lastmod>2026-01-01</lastmod></url>`)
    .join("\n")}</urlset>`;

describe("a sitemap", () => {
  test("lists pages, with entities decoded and pictures left out", async () => {
    const xml = `\ufeff <?xml version="1.0"?><!-- <url><loc>no</loc></url> --><urlset>
      <url><loc> https://e.org/?a=1&amp;b=&#50; </loc><image:image><image:loc>https://e.org/a.png</image:loc></image:image></url>
      <url><LOC><![CDATA[https://e.org/c?x=1&y=2]]></LOC></url><url><loc/></url></urlset>`;
    const { found, outcome, isCut } = await read(send(xml));
    expect(found).toEqual(["https://e.org/?a=1&b=2", "https://e.org/c?x=1&y=2"]);
    expect([outcome.kind, isCut]).toEqual(["found", false]);
  });

  test("or other sitemaps, no more than allowed", async () => {
    const all = Array.from(
      { length: 10 },
      (_, at) => `<sitemap><loc>https://e.org/${at}.xml</loc></sitemap>`,
    );
    const index = `<sitemapindex>${all.join("")}</sitemapindex>`;
    expect((await read(send(index))).children.length).toBe(10);
    const cut = await read(send(index), { limits: { childrenMax: 3 } });
    expect([cut.children.length, cut.isCut, cut.found.length]).toEqual([3, true, 0]);
  });

  test("or is a feed, or lines", async () => {
    const rss =
      "<rss><channel><link>https://e.org/</link><item><title>x</title><link>https://e.org/1</link></item></channel></rss>";
    expect((await read(send(rss))).found).toEqual(["https://e.org/1"]);
    const atom = `<feed><link href="https://e.org/"/><entry><link rel="edit" href="https://e.org/e"/><link href='https://e.org/2?a=1&amp;b=2'/></entry></feed>`;
    expect((await read(send(atom))).found).toEqual(["https://e.org/2?a=1&b=2"]);
    const lines = "https://e.org/1\r\n\n# no\nhttps://e.org/2\nftp://e.org\nhttps://e.org/3";
    expect((await read(send(lines, "text/plain"))).found.length).toBe(3);
  });

  test("packed without saying so is unpacked, a bomb of one is not", async () => {
    const { found } = await read(send(gzipSync(urlset(["https://e.org/1"])), "application/gzip"));
    expect(found).toEqual(["https://e.org/1"]);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, "x"));
    const burst = await read(send(bomb, "application/gzip"));
    expect(burst.outcome).toMatchObject({ kind: "failed", reason: "bomb" });
    const broken = await read(send(Buffer.from([0x1f, 0x8b, 1, 2, 3, 4]), "application/gzip"));
    expect(broken.outcome).toMatchObject({ kind: "failed", reason: "bad_content" });
  });

  test("lesson 50: is not read further than needed", async () => {
    let sent = 0;
    const endless: SiteAnswer = (_, response) => {
      response.write("<urlset>");
      const more = () => {
        while (!response.destroyed) {
          const block = Array.from(
            { length: 500 },
            () => `<url><loc>https://e.org/${sent++}</loc></url>`,
          );
          if (!response.write(block.join(""))) return void response.once("drain", more);
        }
      };
      response.on("error", () => {});
      more();
    };
    const urls: string[] = [];
    const file = await read(endless, {
      onUrl: (url) => (urls.push(url), urls.length === 20 ? "enough" : "more"),
    });
    expect(file).toMatchObject({ urls: 20, isCut: true, outcome: { kind: "found" } });
    expect(urls.length).toBe(20);
    const limited = await read(endless, { limits: { urlsMax: 30 } });
    expect(limited).toMatchObject({ urls: 30, isCut: true });
  });

  test("entities that expand without end are letters", async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://e.org/&b;&c;</loc></url></urlset>`;
    expect((await read(send(bomb))).found).toEqual(["https://e.org/&b;&c;"]);
  });

  test("of 100 MB is read in constant memory", async () => {
    const caption = "A floor of oak, sanded and oiled. ".repeat(20);
    const block = Buffer.from(
      Array.from(
        { length: 1_000 },
        (_, at) =>
          `<url><loc>https://e.org/page/${at}</loc><image:caption>${caption}</image:caption></url>\n`,
      ).join(""),
    );
    const blocks = Math.ceil((100 * 1024 * 1024) / block.length);
    const huge: SiteAnswer = (_, response) => {
      response.write("<urlset>");
      let left = blocks;
      const more = () => {
        while (left-- > 0) if (!response.write(block)) return void response.once("drain", more);
        response.end("</urlset>");
      };
      more();
    };
    let count = 0;
    let most = 0;
    const used = () => {
      const { heapUsed, external } = process.memoryUsage();
      return (heapUsed + external) / 1024 / 1024;
    };
    const before = used();
    const { outcome, urls } = await read(huge, {
      limits: { bytesMax: 200 * 1024 * 1024, urlsMax: 10_000_000 },
      request: { limits: { totalMs: 60_000 } },
      onUrl() {
        if (++count % 10_000 === 0) most = Math.max(most, used() - before);
        return "more";
      },
    });
    expect(outcome.kind).toBe("found");
    expect(urls).toBe(blocks * 1_000);
    expect(most).toBeLessThan(60);
  });

  test("what is one endless tag or comment costs no memory either", async () => {
    for (const start of ["<urlset><!-- ", "<urlset ", "<url><loc>", "<![CDATA["]) {
      const body = Buffer.concat([Buffer.from(start), Buffer.alloc(20 * 1024 * 1024, "x")]);
      const before = process.memoryUsage().heapUsed;
      expect((await read(send(body))).found).toEqual([]);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 1024 * 1024);
    }
  });
});

describe("the scanner", () => {
  const events = (pieces: readonly string[]) => {
    const seen: string[] = [];
    const scanner = createXmlScanner({
      open: (name, prefix) => seen.push(`+${prefix}:${name}`),
      close: (name, prefix, text) => seen.push(`-${prefix}:${name}=${text}`),
    });
    for (const piece of pieces) scanner.write(piece);
    return seen;
  };

  test("sees the same however the text is cut", () => {
    const letters = fc.constantFrom(
      "<",
      ">",
      "/",
      "a",
      "b:c",
      "!--",
      "-->",
      "![CDATA[",
      "]]>",
      "?",
      "!",
      "&amp;",
      " ",
      "-",
      "]",
    );
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 40 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        (parts, cuts) => {
          const text = parts.join("");
          const points = [
            0,
            ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b),
            text.length,
          ];
          const pieces = points.slice(1).map((to, index) => text.slice(points[index], to));
          expect(events(pieces)).toEqual(events([text]));
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
