import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import type { CampaignStatus } from "../../campaign/index.ts";
import { companyOf, type Company } from "../../records/index.ts";
import { judgeDemo, type Evidence } from "./judge-demo.ts";
import { makeRegion } from "../fake-web/region.ts";
import type { RegionRequest } from "../fake-web/region-server.ts";
import { expectedOf } from "../fake-web/expected-data.ts";
import { makeSite, type Site } from "../fake-web/site.ts";

const random = createSeededRandom(1);
const sites: readonly Site[] = makeRegion({ size: 40, random }).businesses.map((business) =>
  makeSite(business, random),
);
const empty = companyOf({ target: "company/x", fields: [] } as never);
/** As a perfect visitor would leave it. */
const companies: readonly Company[] = sites.map((site) => {
  const { emails, phones, socials } = expectedOf(site, "simple");
  return {
    ...empty,
    texts: { domain: site.business.domain },
    emails: emails.map((value) => ({ value })),
    phones: phones.map((value) => ({ value })),
    socials: Object.fromEntries(socials.map((url, at) => [`n${at}`, url])),
  };
});
const status: CampaignStatus = {
  tiles: 4,
  targets: 8,
  fresh: 8,
  empty: 0,
  expired: 0,
  never: 0,
  found: 40,
  nextDueAt: undefined,
};
const request = (site: Site, path: string, atMs: number): RegionRequest => ({
  host: site.hosts[1]!,
  path,
  method: "GET",
  atMs,
  status: 200,
  userAgent: "",
});
const withTrait = (trait: Site["business"]["trait"]) =>
  sites.find(({ business }) => business.trait === trait)!;
const plain = withTrait("plain");
const slow = withTrait("robots_delay");
const good: Evidence = {
  sites,
  companies,
  status,
  requests: [
    request(plain, "/robots.txt", 0),
    request(slow, "/robots.txt", 10),
    request(plain, "/", 100),
    request(plain, "/a", 199),
    request(slow, "/", 1_010),
  ],
  failed: 0,
  digests: ["a", "a", "a"],
  abandoned: 0,
  delayMs: 100,
};
const isGood = (change: Partial<Evidence>) => judgeDemo({ ...good, ...change }).isGood;

describe("the demo's judgement", () => {
  test("of a perfect run is good, and says what it measured", () => {
    const verdict = judgeDemo(good);
    expect(verdict).toMatchObject({
      isGood: true,
      targets: { all: 8, witnessed: 8 },
      places: { all: 40, found: 40 },
      emails: { recall: 1, precision: 1 },
      politeness: { hosts: 2, gapMsMin: 99, slowGapMsMin: 1_000, early: [] },
    });
  });

  test("two requests that are too close, by the server's log, are not good", () => {
    const close = [...good.requests, request(plain, "/b", 290)];
    expect(isGood({ requests: close })).toBe(false);
    const notAsSlowAsAsked = [...good.requests, request(slow, "/b", 1_900)];
    const verdict = judgeDemo({ ...good, requests: notAsSlowAsAsked });
    expect(verdict.isGood).toBe(false);
    expect(verdict.politeness.early).toEqual([expect.stringContaining("890.0 ms after /")]);
  });

  test("what robots.txt forbids was fetched: not good", () => {
    const partly = withTrait("robots_partly");
    for (const [site, path] of [
      [partly, "/intern/"],
      [withTrait("robots_none"), "/"],
      [withTrait("robots_failing"), "/"],
    ] as const) {
      // prettier-ignore
      expect(isGood({ requests: [request(site, path, 0)] })).toBe(false);
    }
    expect(isGood({ requests: [request(partly, "/", 0)] })).toBe(true);
  });

  test("a tile without a witness, a missing or doubled place, a failed task: not good", () => {
    expect(isGood({ status: { ...status, fresh: 7, never: 1 } })).toBe(false);
    expect(isGood({ companies: companies.slice(1) })).toBe(false);
    expect(isGood({ companies: [...companies, companies[0]!] })).toBe(false);
    expect(isGood({ failed: 1 })).toBe(false);
  });

  test("replicas that differ, and leases of the dead that nobody took over: not good", () => {
    expect(isGood({ digests: ["a", "b", "a"] })).toBe(false);
    expect(isGood({ abandoned: 1 })).toBe(false);
  });

  test("contacts that are missed, and ones that are wrong: not good beyond a few", () => {
    const without = (key: "emails" | "phones" | "socials", count: number) =>
      companies.map((company, at) =>
        at < count ? { ...company, [key]: key === "socials" ? {} : [] } : company,
      );
    for (const key of ["emails", "phones", "socials"] as const) {
      expect(isGood({ companies: without(key, 8) }), key).toBe(false);
    }
    const wrong = companies.map((company, at) =>
      at < 3 ? { ...company, emails: [...company.emails, { value: `x${at}@y.example` }] } : company,
    );
    expect(isGood({ companies: wrong })).toBe(false);
  });
});
