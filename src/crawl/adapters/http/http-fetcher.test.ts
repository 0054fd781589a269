import { describe, expect, test } from "vitest";
import { fetcherSuite } from "../../testing/fetcher-suite.ts";
import { startSiteServer } from "../../testing/site-server.ts";
import { userAgentOf } from "../../user-agent.ts";
import { createHttpFetcher } from "./http-fetcher.ts";

const userAgent = userAgentOf({ token: "forager", version: "1.0", contact: "ops@example.org" });
const open = (more: object = {}) =>
  createHttpFetcher({ userAgent, allowPrivateNetworks: ["127.0.0.1"], ...more });

fetcherSuite({ name: "http", open });

describe("the HTTP fetcher", () => {
  test("HEAD has no body and asks like any request", async () => {
    await using site = await startSiteServer({ pages: { "/": "<p>there</p>" } });
    await using fetcher = open();
    const asked: string[] = [];
    const found = await fetcher.fetch({
      url: `${site.origin}/`,
      method: "HEAD",
      beforeRequest: ({ method }) => (asked.push(method), "go"),
    });
    expect(found).toMatchObject({ kind: "found", status: 200, bytes: { wire: 0 } });
    expect(asked).toEqual(["HEAD"]);
    expect(site.requests.map(({ method }) => method)).toEqual(["HEAD"]);
  });

  test("credentials in a URL are not sent", async () => {
    await using site = await startSiteServer({ pages: { "/": "" } });
    await using fetcher = open();
    await fetcher.fetch({ url: `http://anna:secret@127.0.0.1:${site.port}/` });
    expect(site.requests[0]!.headers.authorization).toBeUndefined();
  });

  test("connections are kept for the next request, after an unwanted answer too", async () => {
    await using site = await startSiteServer({ pages: { "/": "<p>there</p>" } });
    await using fetcher = open();
    for (const path of ["/", "/missing", "/"]) await fetcher.fetch({ url: site.origin + path });
    expect(site.connections()).toBe(1);
  });

  test("not more connections to one origin, nor requests in all, than allowed", async () => {
    let atOnce = 0;
    let most = 0;
    await using site = await startSiteServer({
      pages: {
        "/": (_, response) => {
          most = Math.max(most, ++atOnce);
          setTimeout(() => {
            atOnce -= 1;
            response.end();
          }, 20);
        },
      },
    });
    for (const limits of [
      { connectionsPerOriginMax: 2 },
      { requestsMax: 2, connectionsPerOriginMax: 8 },
    ]) {
      most = 0;
      await using fetcher = open(limits);
      const all = Array.from({ length: 8 }, () => fetcher.fetch({ url: `${site.origin}/` }));
      expect((await Promise.all(all)).every(({ kind }) => kind === "found")).toBe(true);
      expect(most).toBe(2);
    }
  });

  test("a body is handed on in pieces, and enough is enough", async () => {
    await using site = await startSiteServer({ pages: { "/": "x".repeat(1_000_000) } });
    await using fetcher = open();
    let taken = 0;
    const found = await fetcher.fetch({
      url: `${site.origin}/`,
      onBody: async (chunk) => {
        await Promise.resolve();
        taken += chunk.length;
        return taken > 100_000 ? "enough" : "more";
      },
    });
    expect(found).toMatchObject({ kind: "found", isCut: true });
    expect(taken).toBeGreaterThan(100_000);
    expect(taken).toBeLessThan(400_000);
  });

  test("a wait in beforeRequest counts into the time of the fetch", async () => {
    await using fetcher = open();
    const outcome = await fetcher.fetch({
      url: "http://127.0.0.1:1/",
      limits: { totalMs: 50 },
      beforeRequest: () => new Promise(() => {}),
    });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
  });

  test("an agent without a contact, or that robots.txt cannot name, is refused", () => {
    const good = { token: "forager", version: "1", contact: "https://example.org/bot" };
    expect(userAgentOf(good)).toBe("forager/1 (+https://example.org/bot)");
    expect(() => userAgentOf({ ...good, contact: "me" })).toThrow(/not a way to reach you/);
    expect(() => userAgentOf({ ...good, token: "bot 9" })).toThrow(/cannot be named/);
  });
});
