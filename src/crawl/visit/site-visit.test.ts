import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FetchFailed, FetchOutcome, FetchFound } from "../fetcher.ts";
import { parseRobots, robotsAllowAll, robotsDisallowAll } from "../robots/parse-robots.ts";
import type { RobotsNote } from "../robots/read-robots.ts";
import type { Link } from "../url/link-priority.ts";
import { looksParked } from "./parked.ts";
import { nextRequests, startVisit, type Visit, type VisitBudget } from "./site-visit.ts";
import { recordPage, recordRobots, recordSitemap } from "./visit-answers.ts";

const origin = "https://acme.example";
const found = (url: string, wire = 1_000): FetchFound => ({
  kind: "found",
  status: 200,
  url,
  hops: [],
  contentType: "text/html",
  body: new Uint8Array(),
  isCut: false,
  bytes: { wire, unpacked: wire },
});
const failed = (url: string, reason: FetchFailed["reason"]): FetchFailed => ({
  kind: "failed",
  reason,
  message: "",
  url,
  hops: [],
});
const robots = (text: string): RobotsNote => ({
  state: "read",
  robots: parseRobots(Buffer.from(text), "forager"),
  atMs: 0,
});
const absent: RobotsNote = { state: "absent", robots: robotsAllowAll, atMs: 0 };
const link = (path: string, where: Link["where"] = "body", text = ""): Link => ({
  url: path,
  where,
  text,
});

interface Site {
  readonly robots?: RobotsNote;
  readonly pages: Readonly<Record<string, readonly Link[] | FetchOutcome>>;
  readonly sitemaps?: Readonly<
    Record<string, { urls?: readonly string[]; children?: readonly string[] }>
  >;
  readonly isParked?: boolean;
}

/** Visits a site, one request after the other; the requests and the outcome. */
function visitAll(site: Site, budget: Partial<VisitBudget> = {}) {
  let visit: Visit = startVisit({ url: `${origin}/`, nowMs: 0, budget });
  const asked: string[] = [];
  for (let turn = 0; turn < 10_000; turn++) {
    const next = nextRequests(visit, { nowMs: turn });
    visit = JSON.parse(JSON.stringify(next.visit)) as Visit; // it travels between nodes
    const [request] = next.requests;
    if (!request) return { visit, asked, outcome: visit.outcome };
    const path = request.url.replace(origin, "");
    asked.push(path);
    if (request.kind === "robots")
      visit = recordRobots(visit, new URL(request.url).origin, site.robots ?? absent);
    else if (request.kind === "sitemap") {
      const { urls = [], children = [] } = site.sitemaps?.[path] ?? {};
      visit = recordSitemap(visit, { url: request.url, urls, children, wireBytes: 100 });
    } else {
      const page = site.pages[path] ?? failed(request.url, "status");
      visit =
        "kind" in page
          ? recordPage(visit, { url: request.url, outcome: page })
          : recordPage(visit, {
              url: request.url,
              outcome: found(request.url),
              links: page as readonly Link[],
              isParked: site.isParked ?? false,
            });
    }
  }
  throw new Error("no end");
}

describe("a visit", () => {
  test("robots.txt, home, then what is worth most, then the rest, then the sitemap", () => {
    const { asked, outcome } = visitAll(
      {
        pages: {
          "/": [
            link("/blog/1"),
            link("/products", "header"),
            link("/impressum", "footer"),
            link("/kontakt", "footer"),
            link("/p/9", "body", "Über uns"),
          ],
          "/kontakt": [link("/blog/2")],
        },
        sitemaps: { "/sitemap.xml": { urls: [`${origin}/deep`, `${origin}/team`] } },
      },
      { pages: 20 },
    );
    expect(asked).toEqual([
      "/robots.txt",
      "/",
      "/kontakt",
      "/impressum",
      "/p/9",
      "/products",
      "/blog/1",
      "/blog/2",
      "/sitemap.xml",
      "/team",
      "/deep",
    ]);
    expect(outcome).toBe("done");
  });

  test("budgets of pages, bytes and time end it, done", () => {
    const many = Array.from({ length: 50 }, (_, at) => link(`/p/${at}`));
    const pages = Object.fromEntries([
      ["/", many],
      ...many.map(({ url }) => [url, []]),
    ]) as Site["pages"];
    const count = (budget: Partial<VisitBudget>) => {
      const { asked, outcome } = visitAll({ pages }, budget);
      expect(outcome).toBe("done");
      return asked.filter((path) => !path.endsWith(".txt") && !path.endsWith(".xml")).length;
    };
    expect(count({ pages: 5 })).toBe(5);
    expect(count({ pages: 100, bytes: 3_000 })).toBe(3);
    expect(count({ pages: 100, ms: 10 })).toBe(9);
  });

  test("a page that robots.txt forbids is not asked for; a home page that is ends it", () => {
    const note = robots("User-agent: *\nDisallow: /secret");
    const site: Site = {
      robots: note,
      pages: { "/": [link("/secret/contact"), link("/a")], "/a": [] },
    };
    expect(visitAll(site).asked).toEqual(["/robots.txt", "/", "/a", "/sitemap.xml"]);
    const closed: Site = { robots: robots("User-agent: *\nDisallow: /"), pages: { "/": [] } };
    expect(visitAll(closed)).toMatchObject({ asked: ["/robots.txt"], outcome: "robots" });
  });

  test("robots.txt that does not answer closes the site, as unreachable", () => {
    const note: RobotsNote = { state: "unreachable", robots: robotsDisallowAll, atMs: 0 };
    expect(visitAll({ robots: note, pages: { "/": [] } })).toMatchObject({
      asked: ["/robots.txt"],
      outcome: "unreachable",
    });
  });

  test("how it ends says why", () => {
    const home = `${origin}/`;
    const end = (page: FetchOutcome) => visitAll({ pages: { "/": page } }).outcome;
    expect(end(failed(home, "blocked"))).toBe("blocked");
    expect(end(failed(home, "timeout"))).toBe("unreachable");
    expect(end({ kind: "not_modified", url: home, hops: [] })).toBe("not_modified");
    expect(visitAll({ pages: { "/": [] }, isParked: true }).outcome).toBe("parked");
    expect(startVisit({ url: "mailto:x", nowMs: 0 }).outcome).toBe("unreachable");
  });

  test("a failed page other than the home page is not a failed visit", () => {
    const site: Site = {
      pages: { "/": [link("/contact")], "/contact": failed(`${origin}/contact`, "blocked") },
    };
    expect(visitAll(site).outcome).toBe("done");
  });

  test("where the home page moved, its new robots.txt is asked first", () => {
    const to = "https://www.acme.example/";
    const stopped: FetchOutcome = { kind: "stopped", url: to, hops: [`${origin}/`] };
    const { asked, visit, outcome } = visitAll({
      pages: { "/": stopped, [to]: [link("/contact")], [`${to}contact`]: [] },
    });
    expect(asked.slice(0, 5)).toEqual(["/robots.txt", "/", `${to}robots.txt`, to, `${to}contact`]);
    expect([visit.home, outcome]).toEqual([to, "done"]);
  });

  test("homes that move in circles end", () => {
    const other = "https://www.acme.example/";
    const to = (url: string): FetchOutcome => ({ kind: "stopped", url, hops: [] });
    expect(visitAll({ pages: { "/": to(other), [other]: to(`${origin}/`) } }).outcome).toBe(
      "unreachable",
    );
  });

  test("lesson 49: one page is visited once, whatever leads to it; other sites never", () => {
    const links = [
      link("/a?utm_source=x"),
      link("/a#b"),
      link("/a"),
      link("https://other.example/"),
      link("/x.pdf"),
      link("/l?page=2"),
      link("/l?page=3"),
    ];
    const { asked } = visitAll({
      pages: { "/": links, "/a": links, "/l?page=2": links, "/l?page=3": links },
    });
    expect(asked.slice(0, 5)).toEqual(["/robots.txt", "/", "/a", "/l?page=2", "/l?page=3"]);
    expect(asked.slice(5)).toEqual(["/sitemap.xml"]);
  });

  test("lesson 49: ?page= without end is ended by the budget", () => {
    const pages = new Proxy({} as Record<string, readonly Link[]>, {
      get: (_, path: string) => [link(`/?page=${Number(/\d+$/.exec(path)?.[0] ?? 0) + 1}`)],
    });
    const { asked, outcome } = visitAll({ pages });
    expect([asked.length, outcome]).toEqual([1 + 8, "done"]);
  });

  test("lesson 50: sitemaps that name each other end, no deeper and no more than allowed", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        at === 0 ? "/sitemap.xml" : `/s${at}.xml`,
        {
          children: [
            `${origin}/s${at + 1}.xml`,
            `${origin}/sitemap.xml`,
            "https://other.example/s.xml",
          ],
        },
      ]),
    );
    const of = (budget: Partial<VisitBudget>) =>
      visitAll({ pages: { "/": [] }, sitemaps: chain }, budget).asked.slice(2);
    expect(of({ sitemaps: 100, sitemapDepth: 2 })).toEqual(["/sitemap.xml", "/s1.xml", "/s2.xml"]);
    expect(of({ sitemaps: 2, sitemapDepth: 9 })).toEqual(["/sitemap.xml", "/s1.xml"]);
  });

  test("answers nobody waits for, and repeated ones, change nothing", () => {
    const start = startVisit({ url: origin, nowMs: 0 });
    expect(recordPage(start, { url: `${origin}/`, outcome: found(`${origin}/`) })).toBe(start);
    expect(
      recordSitemap(start, { url: `${origin}/s.xml`, urls: [], children: [], wireBytes: 0 }),
    ).toBe(start);
  });

  test("always ends, asks nothing twice, and never more than its budget", () => {
    const path = fc.constantFrom(
      "/",
      "/a",
      "/b",
      "/contact",
      "/?page=2",
      "/x/x/x",
      "/s.xml",
      "/doc.pdf",
    );
    const place = fc.constantFrom("header", "footer", "body") as fc.Arbitrary<Link["where"]>;
    const outcome = fc.oneof(
      fc.array(fc.record({ url: path, where: place }), { maxLength: 6 }),
      fc.constantFrom<FetchOutcome>(
        failed(origin, "timeout"),
        failed(origin, "blocked"),
        { kind: "not_modified", url: origin, hops: [] },
        { kind: "stopped", url: `${origin}/b`, hops: [] },
        { kind: "stopped", url: "https://www.acme.example/", hops: [] },
      ),
    );
    const pages = fc.dictionary(path, outcome, { maxKeys: 8 });
    const file = fc.constantFrom(
      "",
      "User-agent: *\nDisallow: /a",
      "User-agent: *\nDisallow: /",
      "Sitemap: /s.xml",
    );
    fc.assert(
      fc.property(pages, file, fc.nat(6), fc.nat(3), (sitePages, text, pageBudget, sitemaps) => {
        const site: Site = {
          pages: sitePages,
          robots: robots(text),
          sitemaps: { "/s.xml": { urls: ["/q"], children: ["/s.xml"] } },
        };
        const { asked, outcome: end } = visitAll(site, { pages: pageBudget, sitemaps });
        expect(end).toBeDefined();
        expect(new Set(asked).size).toBe(asked.length);
        const own = asked.filter((one) => !one.includes("robots.txt") && !one.endsWith(".xml"));
        expect(own.length).toBeLessThanOrEqual(pageBudget + 5); // moves are no pages
        for (const one of own) {
          const at = asked.indexOf(one);
          const file = one.startsWith("https:")
            ? `${new URL(one).origin}/robots.txt`
            : "/robots.txt";
          expect(asked.indexOf(file)).toBeLessThan(at);
          expect(asked.indexOf(file)).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("parked domains", () => {
  test.each([
    ["https://acme.com/", "acme.com This domain is for sale! Buy this domain", true],
    ["https://www.hugedomains.com/domain_profile.cfm?d=acme", "", true],
    ["https://acme.de/", "Diese Domain steht zum Verkauf", true],
    ["https://acme.com/", "We sell floors. Contact us for a quote.", false],
    [
      "https://estate.com/",
      `Every house in our domain is for sale. ${"Lovely homes. ".repeat(300)}`,
      false,
    ],
  ])("%s “%s”", (url, text, expected) => expect(looksParked({ url, text })).toBe(expected));
});
