import { describe, expect, test } from "vitest";
import { startSiteServer, type Answer } from "../crawl/testing/site-server.ts";
import { openEnrichBench } from "./testing/enrich-bench.ts";

const html =
  (body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);

const page = (title: string, body: string) =>
  html(`<html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`);

describe("a visit", () => {
  test("robots, home, contact: facts with their source, how it ended, each request a task", async () => {
    await using site = await startSiteServer({
      pages: {
        "/": page("Home", `<p>We lay floors.</p><footer><a href="/contact">Contact</a></footer>`),
        "/contact": page("Contact", `<a href="mailto:info@acme-floors.com">mail</a>`),
      },
    });
    await using bench = await openEnrichBench();
    const website = site.origin.replace("127.0.0.1", "acme-floors.com");
    const target = await bench.plant(`${website}/`);
    await bench.work();
    expect(site.requests.map(({ path }) => path)).toEqual([
      "/robots.txt",
      "/",
      "/contact",
      "/sitemap.xml",
    ]);
    const { fields } = await bench.ledger.read(target);
    const email = fields.find(({ field }) => field === "email/info@acme-floors.com");
    expect(email).toMatchObject({
      value: { method: "mailto", url: `${website}/contact` },
      source: `site:${website}/contact`,
    });
    const known = await bench.fieldsOf(target);
    expect(known["visit"]).toMatchObject({ outcome: "done", pages: 2, version: 1 });
    expect(known["enrichedAt"]).toBe((known["visit"] as { at: string }).at);
    expect(known["name"]).toBe("Company 1");
  });
});
