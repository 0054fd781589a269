import { gzipSync } from "node:zlib";
import type { Random } from "../../base/random.ts";
import type { Business } from "./business.ts";
import { encodePage, type Charset } from "./encode-page.ts";
import { makePages, type SitePage } from "./page-html.ts";

/** A business's site: the answer for each path, and the data that a polite visitor can find. */
export interface Site {
  readonly business: Business;
  readonly hosts: readonly string[];
  readonly pages: readonly SitePage[];
  /** The outcome of a visit without a browser. */
  readonly outcome: "done" | "robots" | "parked" | "unreadable";
  /** An address on a page that robots may not visit: finding it proves a forbidden visit. */
  readonly forbiddenEmail?: string;
  answer(path: string): FakeAnswer;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly delayMs?: number;
  /** The first request is answered with 429 and Retry-After. */
  readonly isBusyFirst?: boolean;
}

export const bombBytes = 200 * 2 ** 20;
const slowMs = 1_500;

export function makeSite(business: Business, random: Random): Site {
  const { trait, domain } = business;
  const pages = makePages(business, random);
  const charset = charsetOf(trait);
  const answers = new Map<string, FakeAnswer>();
  for (const page of pages) answers.set(page.path, pageAnswer(page, business, charset));
  for (const [path, answer] of oddAnswers(business, answers.get("/")!)) answers.set(path, answer);
  const forbiddenEmail = trait === "robots_partly" ? `internal@${domain}` : undefined;
  return {
    business,
    hosts: [domain, `www.${domain}`],
    pages,
    outcome: outcomeOf(trait),
    ...(forbiddenEmail && { forbiddenEmail }),
    answer(path) {
      const known = answers.get(path);
      if (known) return known;
      if (trait === "endless" && path.startsWith("/calendar/")) return calendarPage(path);
      return text(404, "text/html", "<title>404 Not Found</title><h1>Not Found</h1>");
    },
  };
}

/** Links to the unusual pages, on the home page. */
const oddLinks: Partial<Readonly<Record<Business["trait"], string>>> = {
  endless: `<a href="/calendar/?page=1">calendar</a>`,
  broken_links: `<a href="/gone/">old</a> <a href="/gone/too/">older</a>`,
  redirects: `<a href="/loop/">round</a>`,
  bomb: `<a href="/archive/">archive</a>`,
  robots_partly: `<a href="/intern/">intern</a>`,
};

function pageAnswer(page: SitePage, { trait }: Business, charset: Charset): FakeAnswer {
  const html = page.html.replace("</main>", `${oddLinks[trait] ?? ""}</main>`);
  const declared =
    charset === "utf-8" ? html : html.replace("<head>", `<head><meta charset="${charset}">`);
  const isSlow = trait === "slow" && page.kind === "contact";
  return {
    status: 200,
    // Some servers declare the charset in the header, some only in the page.
    headers: {
      "content-type": charset === "shift_jis" ? "text/html; charset=Shift_JIS" : "text/html",
    },
    body: encodePage(declared, charset),
    ...(isSlow && { delayMs: slowMs }),
    ...(trait === "busy" && page.kind === "contact" && { isBusyFirst: true }),
  };
}

function oddAnswers(
  business: Business,
  homePage: FakeAnswer,
): readonly (readonly [string, FakeAnswer])[] {
  const { trait, domain, language } = business;
  const home = `/${language.code}/`;
  switch (trait) {
    case "robots_partly":
      return [
        ["/robots.txt", text(200, "text/plain", "User-agent: *\nDisallow: /intern/\nAllow: /\n")],
        ["/intern/", text(200, "text/html", `<p>internal@${domain}</p>`)],
      ];
    case "robots_none":
      return [["/robots.txt", text(200, "text/plain", "User-agent: *\nDisallow: /\n")]];
    case "robots_delay":
      return [
        ["/robots.txt", text(200, "text/plain", "User-agent: *\nCrawl-delay: 1\nDisallow:\n")],
      ];
    case "robots_failing":
      return [["/robots.txt", text(500, "text/plain", "sorry")]];
    case "redirects": {
      const moved = (to: string): FakeAnswer => ({
        ...text(301, "text/html", ""),
        headers: { location: to },
      });
      return [
        ["/", moved(home)],
        [home, homePage],
        ["/loop/", moved("/loop/again/")],
        ["/loop/again/", moved("/loop/")],
      ];
    }
    case "bomb":
      return [
        [
          "/archive/",
          {
            status: 200,
            headers: { "content-type": "text/html", "content-encoding": "gzip" },
            body: bomb(),
          },
        ],
      ];
    case "parked":
      return [
        [
          "/",
          text(
            200,
            "text/html",
            `<title>${domain}</title><h1>${domain}</h1><p>This domain is for sale.</p>`,
          ),
        ],
      ];
    case "script_shell":
      return [
        ["/", text(200, "text/html", `<div id="root"></div><script src="/app.js"></script>`)],
      ];
    case "plain":
    case "slow":
    case "busy":
    case "broken_links":
    case "endless":
    case "windows_1252":
    case "shift_jis":
    case "utf_16":
      return [];
  }
}

/** Hundreds of megabytes of spaces in a few hundred kilobytes: many small gzip members. */
function bomb(): Buffer {
  const member = gzipSync(Buffer.alloc(2 ** 20, 0x20));
  return Buffer.concat(Array.from({ length: bombBytes / 2 ** 20 }, () => member));
}

function calendarPage(path: string): FakeAnswer {
  const page = Number(new URL(path, "http://x").searchParams.get("page") ?? "0");
  return text(
    200,
    "text/html",
    `<h1>Day ${page}</h1><a href="/calendar/?page=${page + 1}">next</a>`,
  );
}

const text = (status: number, type: string, body: string): FakeAnswer => ({
  status,
  headers: { "content-type": `${type}; charset=utf-8` },
  body: Buffer.from(body, "utf8"),
});

const charsetOf = (trait: Business["trait"]): Charset =>
  trait === "windows_1252"
    ? "windows-1252"
    : trait === "shift_jis"
      ? "shift_jis"
      : trait === "utf_16"
        ? "utf-16le"
        : "utf-8";

function outcomeOf(trait: Business["trait"]): Site["outcome"] {
  if (trait === "robots_none" || trait === "robots_failing") return "robots";
  if (trait === "parked") return "parked";
  return trait === "script_shell" ? "unreadable" : "done";
}
