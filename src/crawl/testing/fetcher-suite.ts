import { afterAll, describe, expect, test } from "vitest";
import { sleep, systemClock } from "../../base/clock.ts";
import { isAborted } from "./is-aborted.ts";
import type { FetchFailed, Fetcher, FetchFound, Hop } from "../fetcher.ts";
import { textOf } from "../charset.ts";
import { redirectTo, startSiteServer, type SiteAnswer, type SiteServer } from "./site-server.ts";

export interface FetcherSuiteOptions {
  readonly name: string;
  /** A fetcher that may connect to 127.0.0.1 and to no other private address. */
  readonly open: () => Fetcher | Promise<Fetcher>;
  /** Clauses that this adapter cannot satisfy: title → reason. */
  readonly deviations?: Readonly<Record<string, string>>;
}

const html =
  (body: string, headers: Record<string, string> = {}): SiteAnswer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);

const pages: Readonly<Record<string, SiteAnswer | string>> = {
  "/": "<h1>Grüße</h1>",
  "/latin": html(""),
  "/moved": redirectTo("/"),
  "/far": redirectTo("/moved", 301),
  "/loop": redirectTo("/pool"),
  "/pool": redirectTo("/loop"),
  "/inside": redirectTo("http://169.254.169.254/latest/meta-data/"),
  "/loopback6": redirectTo("http://[::1]:1/"),
  "/file": redirectTo("file:///etc/passwd"),
  "/gone": (_, response) => void response.writeHead(410).end("gone"),
  "/no": (_, response) => void response.writeHead(403).end("no"),
  "/later": (_, response) => void response.writeHead(429, { "retry-after": "120" }).end(),
  "/etag": (request, response) => {
    const isKnown = request.headers["if-none-match"] === '"v1"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"v1"', "content-type": "text/html" });
    response.end(isKnown ? undefined : "<p>new</p>");
  },
  "/large": html("x".repeat(100_000)),
  "/never": () => {},
  "/film": (_, response) => {
    response.on("error", () => {});
    response.writeHead(200, { "content-type": "video/mp4" });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
};

/** The contract of Fetcher, clause by clause. */
export function fetcherSuite({ name, open, deviations = {} }: FetcherSuiteOptions): void {
  describe(`Fetcher: ${name}`, () => {
    const titles = new Set<string>();
    // All clauses share one fetcher, because a browser starts slowly.
    let opened: Promise<Fetcher> | undefined;
    const clause = (
      title: string,
      check: (at: { fetcher: Fetcher; site: SiteServer }) => Promise<void>,
    ) => {
      titles.add(title);
      test.skipIf(title in deviations)(title, async () => {
        const fetcher = await (opened ??= Promise.resolve(open()));
        // Each clause has its own site: a request that the fetcher gave up can arrive late.
        await using site = await startSiteServer({ pages });
        await check({ fetcher, site });
      });
    };
    afterAll(async () => {
      expect(Object.keys(deviations).filter((title) => !titles.has(title))).toEqual([]);
      await (await opened)?.[Symbol.asyncDispose]();
    });

    clause("a page is found, with its text and its size", async ({ fetcher, site }) => {
      const found = (await fetcher.fetch({ url: `${site.origin}/` })) as FetchFound;
      expect(found).toMatchObject({ kind: "found", status: 200, url: `${site.origin}/`, hops: [] });
      expect(textOf(found).text).toContain("<h1>Grüße</h1>");
      expect(found.bytes.wire).toBeGreaterThan(10);
    });

    clause("sends its user agent", async ({ fetcher, site }) => {
      await fetcher.fetch({ url: `${site.origin}/` });
      expect(site.requests[0]!.headers["user-agent"]).toMatch(
        /^forager\/\S+ \(\+mailto:\S+@\S+\)$/,
      );
    });

    clause("redirects are followed and reported", async ({ fetcher, site }) => {
      const found = await fetcher.fetch({ url: `${site.origin}/far#there` });
      const hops = [`${site.origin}/far`, `${site.origin}/moved`];
      expect(found).toMatchObject({ kind: "found", url: `${site.origin}/`, hops });
    });

    clause("lesson 52: every hop is asked for before it is sent", async ({ fetcher, site }) => {
      const asked: Hop[] = [];
      const sent: string[] = [];
      const answered: string[] = [];
      const { kind } = await fetcher.fetch({
        url: `${site.origin}/far`,
        beforeRequest: async (hop): Promise<"go"> => {
          await sleep(systemClock, 5);
          expect(site.requests.length).toBe(asked.length);
          asked.push(hop);
          return "go";
        },
        onSent: ({ url }) => sent.push(url),
        onAnswered: ({ url }) => answered.push(url),
      });
      expect(kind).toBe("found");
      const urls = ["/far", "/moved", "/"].map((path) => site.origin + path);
      expect(asked.map(({ url }) => url)).toEqual(urls);
      expect(asked.map(({ number }) => number)).toEqual([0, 1, 2]);
      expect([sent, answered]).toEqual([urls, urls]);
    });

    clause("who says stop is not overruled", async ({ fetcher, site }) => {
      const outcome = await fetcher.fetch({
        url: `${site.origin}/moved`,
        beforeRequest: ({ number }) => (number === 0 ? "go" : "stop"),
      });
      expect(outcome).toMatchObject({
        kind: "stopped",
        url: `${site.origin}/`,
        hops: [`${site.origin}/moved`],
      });
      expect(site.requests.map(({ path }) => path)).toEqual(["/moved"]);
    });

    const failing: readonly (readonly [path: string, expected: Partial<FetchFailed>])[] = [
      ["/loop", { reason: "redirect_loop" }],
      ["/inside", { reason: "private_address" }],
      ["/loopback6", { reason: "private_address" }],
      ["/file", { reason: "bad_redirect" }],
      ["/gone", { reason: "status", status: 410 }],
      ["/no", { reason: "blocked", status: 403 }],
      ["/later", { reason: "blocked", status: 429, retryAfterMs: 120_000 }],
    ];
    for (const [path, expected] of failing) {
      clause(`${path} is not a page: ${expected.reason}`, async ({ fetcher, site }) => {
        const outcome = await fetcher.fetch({ url: site.origin + path });
        expect(outcome).toMatchObject({ kind: "failed", ...expected });
        expect(outcome).not.toHaveProperty("body");
      });
    }

    clause("no more redirects than allowed", async ({ fetcher, site }) => {
      const limits = { redirectsMax: 1 };
      const outcome = await fetcher.fetch({ url: `${site.origin}/far`, limits });
      expect(outcome).toMatchObject({ kind: "failed", reason: "too_many_redirects" });
      expect(site.requests.length).toBe(2);
    });

    clause("what has not changed is not sent again", async ({ fetcher, site }) => {
      const url = `${site.origin}/etag`;
      const found = await fetcher.fetch({ url });
      expect(found).toMatchObject({ kind: "found", etag: '"v1"' });
      const again = await fetcher.fetch({ url, known: { etag: '"v1"' } });
      expect(again).toMatchObject({ kind: "not_modified", url });
    });

    clause("what is of another type than wanted is not read", async ({ fetcher, site }) => {
      const url = `${site.origin}/film`;
      const outcome = await fetcher.fetch({
        url,
        types: ["text/html"],
        limits: { totalMs: 5_000 },
      });
      expect(outcome).toMatchObject({ kind: "failed", reason: "other_type", status: 200 });
      const page = await fetcher.fetch({ url: `${site.origin}/`, types: ["text/html"] });
      expect(page.kind).toBe("found");
    });

    clause("no page beyond its limit of bytes", async ({ fetcher, site }) => {
      const url = `${site.origin}/large`;
      const limits = { bytesMax: 99_999 };
      const outcome = await fetcher.fetch({ url, limits });
      expect(outcome).toMatchObject({ kind: "failed", reason: "too_large" });
      expect((await fetcher.fetch({ url, limits: { bytesMax: 200_000 } })).kind).toBe("found");
    });

    clause("no fetch beyond its limit of time", async ({ fetcher, site }) => {
      const limits = { totalMs: 100 };
      const outcome = await fetcher.fetch({ url: `${site.origin}/never`, limits });
      expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    });

    clause("a signal ends it at once", async ({ fetcher, site }) => {
      const control = new AbortController();
      const fetched = fetcher.fetch({ url: `${site.origin}/never`, signal: control.signal });
      const ended = expect(fetched).rejects.toSatisfy(isAborted);
      await expect.poll(() => site.requests.length).toBe(1);
      control.abort();
      await ended;
      await expect(
        fetcher.fetch({ url: `${site.origin}/`, signal: AbortSignal.abort() }),
      ).rejects.toSatisfy(isAborted);
      expect(site.requests.length).toBe(1);
    });

    clause("no server listens", async ({ fetcher }) => {
      const outcome = await fetcher.fetch({ url: "http://127.0.0.1:1/" });
      expect(outcome).toMatchObject({ kind: "failed", reason: "refused" });
    });

    for (const url of ["ftp://example.com/", "nonsense", "javascript:alert(1)", ""]) {
      clause(`"${url}" is not a URL to fetch`, async ({ fetcher }) => {
        expect(await fetcher.fetch({ url })).toMatchObject({ kind: "failed", reason: "bad_url" });
      });
    }
  });
}
