import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { redirectTo, startSiteServer, type SiteAnswer } from "../../crawl/testing/site-server.ts";
import type { SiteServer } from "../../crawl/testing/site-server.ts";
import { firstTask } from "../../campaign/index.ts";
import { systemRandom } from "../../base/random.ts";
import { addSuppressed } from "../../records/index.ts";
import { openEnrichBench, type EnrichBench } from "../testing/enrich-bench.ts";
import { email, html, page, status, text, withContact, words } from "../testing/floor-site.ts";

let bench: EnrichBench;
let site: SiteServer | undefined;
beforeEach(async () => void (bench = await openEnrichBench()));
afterEach(async () => {
  await site?.[Symbol.asyncDispose]();
  site = undefined;
  await bench[Symbol.asyncDispose]();
});

/** A site with its own host name. */
async function serve(pages: Readonly<Record<string, SiteAnswer>>, host = "acme-floors.com") {
  site = await startSiteServer({ pages });
  return `http://${host}:${site.port}`;
}
const asked = () => site!.requests.map(({ path }) => path);
const visitOf = async (target: string) =>
  (await bench.fieldsOf(target))["visit"] as Record<string, unknown> | undefined;

describe("a visit", () => {
  test("robots, home, contact, sitemap: each a task; facts name their page, the end says how", async () => {
    const website = await serve(withContact);
    const target = await bench.plant(`${website}/`);
    await bench.work();
    expect(asked()).toEqual(["/robots.txt", "/", "/contact", "/sitemap.xml"]);
    const { fields } = await bench.ledger.read(target);
    expect(fields.find(({ field }) => field === email)).toMatchObject({
      value: { method: "mailto", url: `${website}/contact` },
      source: `site:${website}/contact`,
    });
    const known = await bench.fieldsOf(target);
    expect(known["visit"]).toMatchObject({ outcome: "done", pages: 2, version: 1, seen: [email] });
    expect(known["enrichedAt"]).toBe((known["visit"] as { at: string }).at);
    const tasks = await bench.queue.browse({});
    expect(tasks).toHaveLength(4);
    expect(tasks.every(({ gate, state }) => gate === "acme-floors.com" && state === "done")).toBe(
      true,
    );
    expect(site!.requests[0]!.headers["user-agent"]).toBe(
      "forager/1.0 (+https://crawler.example/about)",
    );
  });

  test("a website that has no TLS is read over http, though https was written", async () => {
    const website = await serve(withContact);
    const target = await bench.plant(`${website.replace("http:", "https:")}/`);
    await bench.work();
    expect(await visitOf(target)).toMatchObject({ outcome: "done", pages: 2, seen: [email] });
    const { fields } = await bench.ledger.read(target);
    expect(fields.find(({ field }) => field === email)?.source).toBe(`site:${website}/contact`);
  });

  test("a website that answers neither over https nor over http is unreachable, and asked once over each", async () => {
    const website = await serve({});
    await site![Symbol.asyncDispose]();
    const target = await bench.plant(`${website.replace("http:", "https:")}/`);
    await bench.work();
    expect(await visitOf(target)).toMatchObject({ outcome: "unreachable", reason: "refused" });
    const asked = (await bench.queue.browse({})).map(({ result }) => JSON.parse(result ?? "{}").asked); // prettier-ignore
    expect(asked).toEqual([
      `${website.replace("http:", "https:")}/robots.txt`,
      `${website}/robots.txt`,
    ]);
  });

  test("a company that comes later than its task is waited for, and one that never comes is not", async () => {
    const website = await serve(withContact);
    await bench.visit("company/late", `${website}/`);
    const working = bench.work();
    const tries = async () => (await bench.queue.browse({}))[0]?.attempts.length;
    await expect.poll(tries).toBe(1);
    expect(asked()).toEqual([]);
    const changes = [{ target: "company/late", field: "name", value: "Late" }];
    await bench.ledger.write({ source: "place:t/9", changes });
    await working;
    expect(await visitOf("company/late")).toMatchObject({ outcome: "done", pages: 2 });
    await bench.queue.add([
      {
        ...firstTask({ job: "test", round: "x", target: "company/never", website }),
        attemptsMax: 1,
      },
    ]);
    await bench.work();
    const never = (await bench.queue.browse({ states: ["skipped"] }))[0];
    expect(never?.attempts[0]?.reason).toBe("there is no company/never");
  });

  test("lesson 43: a title never becomes a name", async () => {
    const website = await serve({ "/": page("Best oak floors in Austin", `<p>${words}</p>`) });
    const target = await bench.plant(`${website}/`, { fields: { name: "" } });
    await bench.work();
    const known = await bench.fieldsOf(target);
    expect([known["name"], await visitOf(target)]).toEqual([undefined, expect.anything()]);
  });

  test("lesson 42: what fails, is blocked, empty or parked later leaves the good data", async () => {
    let now: SiteAnswer = withContact["/contact"];
    let home: SiteAnswer = withContact["/"];
    const website = await serve({
      "/": (request, response) => home(request, response),
      "/contact": (request, response) => now(request, response),
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const outcomes: unknown[] = [];
    const rounds: readonly (readonly [SiteAnswer, SiteAnswer])[] = [
      [withContact["/"], html("")],
      [withContact["/"], status(404)],
      [status(403), withContact["/contact"]],
      [status(404), withContact["/contact"]],
      [page("Sale", "This domain is for sale. Buy this domain"), withContact["/contact"]],
    ];
    for (const [at, [first, second]] of rounds.entries()) {
      [home, now] = [first, second];
      const after = new Date().toISOString();
      await bench.visit(target, `${website}/`, { round: `r${at}`, after });
      await bench.work();
      outcomes.push((await visitOf(target))?.["outcome"]);
      const known = await bench.fieldsOf(target);
      expect(known[email]).toMatchObject({ method: "mailto" });
      expect(known["name"]).toBe("Company 1");
    }
    expect(outcomes).toEqual(["done", "done", "blocked", "unreachable", "parked"]);
  });

  test("lesson 48: Disallow: / is followed; a forbidden page is not asked for", async () => {
    const website = await serve({
      ...withContact,
      "/robots.txt": text("User-agent: *\nDisallow: /contact"),
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    expect(asked()).toEqual(["/robots.txt", "/", "/sitemap.xml"]);
    await site![Symbol.asyncDispose]();
    const closed = await serve({ "/robots.txt": text("User-agent: *\nDisallow: /") }, "b.com");
    const other = await bench.plant(`${closed}/`);
    await bench.work();
    expect(asked()).toEqual(["/robots.txt"]);
    expect(await visitOf(other)).toMatchObject({ outcome: "robots", pages: 0 });
    expect((await bench.fieldsOf(other))["enrichedAt"]).toBeUndefined();
    expect((await bench.fieldsOf(target))[email]).toBeUndefined();
  });

  test("a redirect to another host is asked for behind that host's gate, after its robots.txt", async () => {
    const pages: Record<string, SiteAnswer> = { ...withContact };
    const website = await serve({
      ...pages,
      "/": (request, response) =>
        request.headers.host?.startsWith("www.")
          ? withContact["/"](request, response)
          : redirectTo(`http://www.acme-floors.com:${site!.port}/`)(request, response),
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const hosts = site!.requests.map(
      ({ path, headers }) => `${headers.host?.split(":")[0]}${path}`,
    );
    expect(hosts.slice(0, 4)).toEqual([
      "acme-floors.com/robots.txt",
      "acme-floors.com/",
      "www.acme-floors.com/robots.txt",
      "www.acme-floors.com/",
    ]);
    const gates = (await bench.queue.browse({})).map(({ gate }) => gate);
    expect(gates.filter((gate) => gate === "www.acme-floors.com").length).toBe(4);
    expect((await bench.fieldsOf(target))[email]).toBeDefined();
  });
});

describe("visiting again", () => {
  test("a fresh visit is not repeated; an unchanged home page is not_modified and keeps all", async () => {
    const etag = { etag: '"v1"' };
    const home: SiteAnswer = (request, response) =>
      request.headers["if-none-match"] === '"v1"'
        ? void response.writeHead(304, etag).end()
        : page(
            "Home",
            `<p>${words}</p><a href="mailto:info@acme-floors.com">m</a>`,
            etag,
          )(request, response);
    const website = await serve({ "/": home });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const count = site!.requests.length;
    await bench.visit(target, `${website}/`, { round: "again" });
    await bench.work();
    expect(site!.requests.length).toBe(count);
    const before = await bench.fieldsOf(target);
    await bench.visit(target, `${website}/`, { round: "b", after: new Date().toISOString() });
    await bench.work();
    const after = await bench.fieldsOf(target);
    expect(after["visit"]).toMatchObject({ outcome: "not_modified", seen: [email] });
    expect(after[email]).toEqual(before[email]);
  });

  test("only what changed is written: a second visit of the same pages adds its end alone", async () => {
    const website = await serve(withContact);
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const before = (await bench.ledger.log({ from: 0, limit: 100_000 })).length;
    await bench.visit(target, `${website}/`, { round: "b", after: new Date().toISOString() });
    await bench.work();
    const added = (await bench.ledger.log({ from: 0, limit: 100_000 })).slice(before);
    expect(added.map(({ field }) => field).sort()).toEqual(["enrichedAt", "visit"]);
  });

  test("who was forgotten is not visited, and a forgotten address is left out", async () => {
    const website = await serve({
      "/": page(
        "Home",
        `<p>${words}</p><a href="mailto:gone@acme-floors.com">x</a>
        <a href="mailto:info@acme-floors.com">y</a>`,
      ),
    });
    const other = await bench.records.create({
      source: "place:o/1",
      fields: { name: "Other", place: "o/1", "email/gone@acme-floors.com": true },
    });
    await bench.records.forget({ name: other.target, source: "hand:x" });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const known = await bench.fieldsOf(target);
    expect(known["email/gone@acme-floors.com"]).toBeUndefined();
    expect(known[email]).toBeDefined();
    const count = site!.requests.length;
    await bench.records.forget({ name: target, source: "hand:x" });
    await bench.visit(target, `${website}/`, { round: "c", after: new Date().toISOString() });
    await bench.work();
    expect(site!.requests.length).toBe(count);
  });
});

test("what is on the suppression list is not visited, and its addresses and numbers are left out", async () => {
  const website = await serve({
    "/": page(
      "Home",
      `<p>${words}</p><a href="mailto:gone@acme-floors.com">x</a> <a href="tel:+15125550188">call</a>
      <a href="mailto:info@acme-floors.com">Write, or call (512) 555-0188</a> <a href="tel:+15125550199">call</a>`,
    ),
  });
  const list = { source: "hand:x", random: systemRandom };
  const keys = ["email:gone@acme-floors.com", "phone:+15125550188"] as const;
  await addSuppressed(bench.ledger, { ...list, keys });
  const target = await bench.plant(`${website}/`);
  await bench.work();
  const fields = await bench.fieldsOf(target);
  const known = Object.keys(fields);
  expect(known).toContain(email);
  expect(known).toContain("phone/+15125550199");
  expect(JSON.stringify(fields)).not.toMatch(/gone@|0188/);
  const count = site!.requests.length;
  const place = (await bench.fieldsOf(target))["place"] as string;
  await addSuppressed(bench.ledger, { ...list, keys: [`place:${place}`] });
  await bench.visit(target, `${website}/`, { round: "c", after: new Date().toISOString() });
  await bench.work();
  expect(site!.requests.length).toBe(count);
});

test("pages are kept as they came only where a setting says so, and no longer than it says", async () => {
  const website = await serve(withContact);
  await bench.plant(`${website}/`);
  await bench.work();
  expect(readdirSync(bench.folder)).not.toContain("pages");
  await bench[Symbol.asyncDispose]();
  bench = await openEnrichBench({ keepHtmlBytes: 100 });
  await bench.plant(`${website}/`);
  await bench.work();
  const [company = ""] = readdirSync(join(bench.folder, "pages"));
  expect(readdirSync(join(bench.folder, "pages", company))).toHaveLength(2);
});

test("B4: navigation and sitemap are kept beside the record, not in it", async () => {
  const urls = Array.from(
    { length: 120 },
    (_, at) => `<url><loc>http://acme-floors.com/${at}</loc></url>`,
  );
  const website = await serve({
    "/": page("Home", `<header><a href="/oak">Oak floors</a></header><p>${words}</p>`),
    "/sitemap.xml": text(`<?xml version="1.0"?><urlset>${urls.join("")}</urlset>`),
  });
  const target = await bench.plant(`${website}/`);
  await bench.work();
  const known = await bench.fieldsOf(target);
  expect(known["site/navigation"]).toEqual([{ text: "Oak floors", url: `${website}/oak` }]);
  const sitemap = known[`sitemap/${encodeURIComponent(`${website}/sitemap.xml`)}`];
  expect(sitemap).toMatchObject({ url: `${website}/sitemap.xml`, count: 120 });
  expect((sitemap as { urls: string[] }).urls).toHaveLength(100);
  const [company = ""] = readdirSync(join(bench.folder, "companies"));
  const folder = join(bench.folder, "companies", company);
  expect(readFileSync(join(folder, "_index.md"), "utf8")).not.toContain("Oak floors");
  expect(readFileSync(join(folder, "_fields.tsv"), "utf8")).toContain("site/navigation");
});

test("people become records of their own, once, tied to the company", async () => {
  const person = `<div itemscope itemtype="https://schema.org/Person"><span itemprop="name">Jane Doe</span>
    <span itemprop="jobTitle">Owner</span></div>`;
  const website = await serve({ "/": page("Home", `<p>${words}</p>${person}`) });
  const target = await bench.plant(`${website}/`);
  await bench.work();
  await bench.visit(target, `${website}/`, { round: "b", after: new Date().toISOString() });
  await bench.work();
  const people = Object.entries(await bench.fieldsOf(target)).filter(([field]) =>
    field.startsWith("person/"),
  );
  expect(people).toMatchObject([[expect.stringMatching(/^person\/h-/), { role: "Owner" }]]);
  expect((await bench.records.person(people[0]![0].slice(7)))?.name).toBe("Jane Doe");
});
