import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../../base/testing/cpu-time.ts";
import { hostDelay } from "./crawl-delay.ts";
import { isAllowedByRobots, matchesPattern } from "./match-robots.ts";
import { parseRobots, robotsBytesMax } from "./parse-robots.ts";
import { patternOf } from "./robots-path.ts";

const parse = (text: string | Uint8Array, token = "forager") =>
  parseRobots(typeof text === "string" ? Buffer.from(text) : text, token);
const allows = (text: string | Uint8Array, path: string, token = "forager") =>
  isAllowedByRobots(parse(text, token), `https://example.org${path}`);

describe("groups", () => {
  test("lesson 48: Disallow: / is obeyed", () => {
    expect(allows("User-agent: *\nDisallow: /", "/")).toBe(false);
    expect(allows("User-agent: *\nDisallow: /", "/robots.txt")).toBe(true);
    expect(allows("", "/")).toBe(true);
  });

  test("lesson 48: agents that share a group share its rules", () => {
    const text =
      "User-agent: other\nUser-agent: forager\nDisallow: /x\n\nUser-agent: *\nDisallow: /";
    expect(allows(text, "/x")).toBe(false);
    expect(allows(text, "/y")).toBe(true);
    expect(allows(text, "/x", "other")).toBe(false);
    expect(allows(text, "/y", "third")).toBe(false);
  });

  test("groups that name us are joined, and everybody's then do not count", () => {
    const text =
      "User-agent: forager\nDisallow: /a\nUser-agent: *\nDisallow: /\nUser-agent: Forager/2.1\nDisallow: /b";
    expect([allows(text, "/a"), allows(text, "/b"), allows(text, "/c")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("a group that names us and forbids nothing allows everything", () => {
    expect(allows("User-agent: forager\nDisallow:\n\nUser-agent: *\nDisallow: /", "/x")).toBe(true);
    expect(
      allows("User-agent: forager\n\nUser-agent: other\nAllow: /\nUser-agent: *\nDisallow: /", "/"),
    ).toBe(true);
  });

  test("a name is compared whole, without its version, in any case", () => {
    expect(allows("User-agent: FORAGER\nDisallow: /", "/")).toBe(false);
    expect(allows("User-agent: forager-news\nDisallow: /", "/")).toBe(true);
    expect(allows("User-agent: forag\nDisallow: /", "/")).toBe(true);
    expect(allows("User-agent: forager42bot\nDisallow: /", "/")).toBe(false);
  });

  test("records between agents neither end a group nor begin one", () => {
    const text =
      "User-agent: a\nCrawl-delay: 5\nSitemap: https://example.org/s.xml\nUser-agent: forager\nDisallow: /x";
    expect(allows(text, "/x")).toBe(false);
    expect(allows(text, "/x", "a")).toBe(false);
  });

  test("rules before the first agent apply to nobody", () => {
    expect(allows("Disallow: /\nUser-agent: *\nAllow: /x", "/y")).toBe(true);
  });

  test("line ends, spaces, comments, case, a forgotten colon, common mistakes", () => {
    for (const text of [
      "user-agent: *\rdisallow: /x",
      "USER-AGENT:*\r\n\r\n  DISALLOW :  /x  # no",
      "User-agent *\nDisallow /x",
      "useragent: *\ndissallow: /x",
      "\n\nUser-agent: * \u00e4\nDisallow: /x",
    ]) {
      expect([allows(text, "/x"), allows(text, "/y")]).toEqual([false, true]);
    }
  });

  test("a byte order mark, whole or in part, is skipped", () => {
    for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]]) {
      const bytes = Buffer.concat([Buffer.from(mark), Buffer.from("User-agent: *\nDisallow: /")]);
      expect(allows(bytes, "/")).toBe(false);
    }
  });

  test("500 KiB are read, and no more", () => {
    const fill = `#${"x".repeat(1_022)}\n`.repeat(499);
    expect(allows(`User-agent: *\n${fill}Disallow: /`, "/")).toBe(false);
    expect(allows(`User-agent: *\n${fill}${fill}Disallow: /`, "/")).toBe(true);
    expect(robotsBytesMax).toBe(512_000);
  });

  test("crawl-delay and sitemaps", () => {
    const text =
      "Sitemap: https://example.org/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /x\nUser-agent: slow\ncrawl-delay: 60\nDisallow:\nSITEMAP:/b.xml";
    expect(parse(text)).toMatchObject({
      crawlDelayMs: 2_500,
      sitemaps: ["https://example.org/a.xml", "/b.xml"],
    });
    expect(parse(text, "slow").crawlDelayMs).toBe(60_000);
    for (const odd of ["-1", "soon", "1e9", "1,5", ""]) {
      expect(parse(`User-agent: *\nCrawl-delay: ${odd}`)).not.toHaveProperty("crawlDelayMs");
    }
  });

  test("lesson 48: a crawl-delay is honoured whole, and one beyond all patience is respected too", () => {
    const configuredMs = 1_000;
    const of = (crawlDelayMs?: number) => hostDelay({ configuredMs, crawlDelayMs });
    expect(of()).toEqual({ delayMs: 1_000, isSlowed: false, isTooSlow: false });
    expect(of(500).delayMs).toBe(1_000);
    expect(of(10_000)).toEqual({ delayMs: 10_000, isSlowed: true, isTooSlow: false });
    expect(of(31_000)).toEqual({ delayMs: 31_000, isSlowed: true, isTooSlow: true });
  });
});

describe("paths", () => {
  test("lesson 48: the longest pattern decides, and of equal ones the one that allows", () => {
    const text =
      "User-agent: *\nAllow: /p\nDisallow: /\nDisallow: /p/secret\nAllow: /p/secret/not\nDisallow: /eq\nAllow: /eq";
    const answers = ["/", "/p", "/p/x", "/p/secret", "/p/secret/not", "/eq"].map((path) =>
      allows(text, path),
    );
    expect(answers).toEqual([false, true, true, false, true, true]);
  });

  // From RFC 9309, 2.2.2 and 2.2.3, and Google's page on robots.txt.
  test.each([
    ["/", "/anything", true],
    ["/fish", "/fish.html", true],
    ["/fish", "/Fish.asp", false],
    ["/fish*", "/fishheads/yummy.html", true],
    ["/fish/", "/fish", false],
    ["/*.php", "/folder/filename.php?parameters", true],
    ["/*.php$", "/filename.php?parameters", false],
    ["/*.php$", "/folder/filename.php", true],
    ["/fish*.php", "/fishheads/catfish.php?x", true],
    ["/fish*.php", "/Fish.PHP", false],
    ["*", "/x", true],
    ["*/x", "/a/x", true],
    ["fish", "/fish", true],
    ["/a$", "/a", true],
    ["/a$", "/ab", false],
    ["/$", "/", true],
    ["/$", "/x", false],
    ["/a***b", "/a/b", true],
    ["/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true],
    ["/path/foo-%24", "/path/foo-$", true],
    ["/a$b", "/a$b", true],
    ["/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", true],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84", true],
    ["/foo/bar/%e3%83%84", "/foo/bar/ツ", true],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz", true],
    ["/~joe", "/%7Ejoe/index.html", true],
    ["/a%2Fb", "/a/b", false],
    ["/x*y*z$", "/x1y2z3z", true],
    ["/x*y*z$", "/x1z2y", false],
    ["/*a$", "/", false],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(allows(`User-agent: *\nDisallow: ${pattern}`, path)).toBe(!expected);
  });

  test("matches as a plain reading of the rules does", () => {
    const letters = fc.constantFrom("a", "b", "/", "*", "$");
    const text = (max: number) => fc.array(letters, { maxLength: max }).map((all) => all.join(""));
    const slow = (pattern: string, path: string): boolean => {
      if (pattern === "") return true;
      if (pattern === "$") return path === "";
      if (pattern[0] === "*") {
        return Array.from({ length: path.length + 1 }, (_, at) => path.slice(at)).some((rest) =>
          slow(pattern.slice(1), rest),
        );
      }
      return path[0] === pattern[0] && slow(pattern.slice(1), path.slice(1));
    };
    fc.assert(
      fc.property(text(8), text(12), (raw, rawPath) => {
        const pattern = patternOf(`/${raw}`);
        const path = `/${rawPath.replaceAll("*", "").replaceAll("$", "")}`;
        expect(matchesPattern(pattern, path)).toBe(slow(pattern, path));
      }),
      { numRuns: 3_000 },
    );
  });

  test("takes no more than linear time on what is made to take longer", () => {
    const path = `/${"a".repeat(2_000)}`;
    const bait = `/*${"a".repeat(900)}b*${"a".repeat(900)}c`;
    const cpuMs = cpuMsOf(() => {
      for (let turn = 0; turn < 500; turn++) expect(matchesPattern(bait, path)).toBe(false);
      expect(matchesPattern(`/${"*a".repeat(5_000)}b`, path)).toBe(false);
    });
    expect(cpuMs).toBeLessThan(500);
  });
});

describe("odd files", () => {
  test("never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(typeof allows(bytes, "/x")).toBe("boolean");
      }),
    );
  });

  test("4,000 of them parse in less than 2 s", () => {
    const pieces = fc.constantFrom(
      "User-agent: *",
      "User-agent: forager",
      "Disallow: /",
      "Allow: /*/x$",
      "Disallow:",
      ":",
      "#",
      "Crawl-delay: 1",
      "Sitemap: x",
      "\u0000",
      "\u00ef\u00bb\u00bf",
      "%",
      "%zz",
      "%E3%83",
      "*",
      "$",
      "\r",
      "\r\n",
      " ",
      "\t",
      "User-agent",
      "disallow /a b",
      "x".repeat(20_000),
      " ".repeat(20_000),
      "*".repeat(5_000),
    );
    const files = fc.sample(
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join("\n")),
      {
        numRuns: 4_000,
        seed: 7,
      },
    );
    const bytes = files.map((text) => Buffer.from(text, "latin1"));
    const cpuMs = cpuMsOf(() => {
      for (const one of bytes) parseRobots(one, "forager");
    });
    expect(files.length).toBe(4_000);
    expect(cpuMs).toBeLessThan(2_000);
  });
});
