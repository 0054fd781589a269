import type { CampaignReport } from "../../campaign/index.ts";
import { companyOf } from "../../records/index.ts";
import type { SiteSource, SourceCompany } from "../build/build-site.ts";
import { openSite, type SiteReader } from "../reader/site-reader.ts";
import type { SiteStore } from "../write/site-store.ts";

export interface TestCompany {
  readonly name: string;
  readonly city?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly note?: string;
  readonly category?: string;
  readonly rating?: number;
  readonly at?: [latitude: number, longitude: number];
  readonly slug?: string;
}

/** A company as the ledger knows it. */
export function testCompany(given: TestCompany, number = 0): SourceCompany {
  const minute = String(number % 60).padStart(2, "0");
  const stamp = `2026-11-01T10:${minute}:00.000Z-0000`;
  const values: (readonly [string, unknown, string?])[] = [
    ["name", given.name, "osm:node/1"],
    ["place/osm/node/1", true, "osm:node/1"],
    ["found/30.2_-97.8/flooring", { campaign: "austin", source: "osm" }],
    ...(given.city === undefined ? [] : [["city", given.city, "hand:anna"] as const]),
    ...(given.email === undefined ? [] : [[`email/${given.email}`, { url: "https://example.org/contact" }, "web:https://example.org/contact"] as const]), // prettier-ignore
    ...(given.phone === undefined ? [] : [[`phone/${given.phone}`, true] as const]),
    ...(given.category === undefined ? [] : [[`category/${given.category}`, true] as const]),
    ...(given.rating === undefined ? [] : [["rating", given.rating] as const]),
    ...(given.note === undefined ? [] : [["note/1", { at: "2026-11-01T10:00:00.000Z", text: given.note }] as const]), // prettier-ignore
    ...(given.at === undefined ? [] : [["latitude", given.at[0]] as const, ["longitude", given.at[1]] as const]), // prettier-ignore
  ];
  const fields = values.map(([field, value, source = "web:https://example.org/"]) => ({
    field,
    value,
    source,
    stamp,
    node: "node-1",
    dot: "node-1/s/1",
  }));
  const view = { target: `company/c${number}`, fields };
  const company = companyOf(view as unknown as Parameters<typeof companyOf>[0], given.slug);
  return { company, fields, campaigns: ["austin"] };
}

/** A folder with one campaign. `companies` can be changed between two publishes. */
export function testSource(companies: readonly SourceCompany[]): SiteSource {
  return {
    version: "1.2.3",
    legal: { controller: "Acme" },
    campaigns: [
      {
        campaign: "austin",
        phrases: ["flooring"],
        locations: [],
        report: async () => testReport(companies.length),
        coverage: async () => ({
          rows: new Map([
            ["", [[302, -978, 0, 3, 20_000, 20_030]]],
            ["flooring", [[302, -978, 0, 3, 20_000, 20_030]]],
          ]),
          licences: [],
        }),
      },
    ],
    async *companies() {
      yield companies;
    },
    leftOut: async () => ({ suppressed: 2, excluded: 1, mark: "" }),
    async dashboardFile(path) {
      const files: Readonly<Record<string, string>> = {
        "index.html": '<meta charset="utf-8" /><script src="/assets/main-1.js"></script>',
        "assets/main-1.js": "start()",
        "basemap/world.json": '{"land":[],"borders":[],"cells":["-100_30","0_0"],"credit":"x"}',
        "basemap/-100_30.json": '{"land":[]}',
      };
      return files[path] === undefined ? undefined : Buffer.from(files[path]);
    },
    pageFiles: ["assets/main-1.js", "index.html"],
  };
}

let reportTime = 0;

/** Computed again for each call: only its time differs. */
function testReport(companies: number): CampaignReport {
  const counts = { fresh: 1, empty: 0, expired: 0, failed: 0, never: 0 };
  const funnel = { tiles: 1, places: companies, companies, withWebsite: 0, visited: 0, enriched: 0, withContact: 0, withEmail: 0, withPhone: 0 }; // prettier-ignore
  return {
    format: "forager-campaign-report/1",
    campaign: "austin",
    at: new Date(1_800_000_000_000 + ++reportTime).toISOString(),
    tiles: { ...counts, planned: 1 },
    targets: { ...counts, planned: 1, leftOut: 0 },
    funnel,
    rows: [],
    fields: [],
    withoutEmail: {
      companies,
      reasons: [{ reason: "no_website", text: "no website", companies, examples: ["company-0", "excluded-one"] }], // prettier-ignore
    },
    cost: { leads: 0, websiteRequests: 7, websiteBytes: 0, hours: 0, bucketDollars: 1.5 },
    freshness: { visits: { days7: 0, days30: 0, days90: 0, older: 0, never: 0 } },
    excluded: 0,
    filtered: [],
    closedPlaces: 0,
    suppressedPlaces: 0,
    licences: [],
    alarms: [{ alarm: "x", text: "an alarm" }],
  };
}

/** The parts of a site's answers that tests check. */
export interface TestAnswer {
  readonly rows: readonly {
    readonly name: string;
    readonly slug: string;
    readonly numbers: { readonly rating: number };
  }[];
  readonly next: string | null;
  readonly name: string;
  readonly slug: string;
  readonly phones: readonly unknown[];
  readonly scopes: readonly string[];
}

/** Reads a site as a browser does, and records the files that were requested. */
export async function readSite(
  store: Pick<SiteStore, "get">,
  key = "",
  shown = async () => {},
): Promise<SiteReader & { readonly asked: string[]; json(url: string): Promise<TestAnswer> }> {
  const asked: string[] = [];
  const site = await openSite({
    key,
    nowMs: () => 0,
    shown,
    async fetchFile(path) {
      asked.push(path);
      const got = await store.get(path);
      if (got.status !== "found") throw new Error(`${path}: 404`);
      return new Uint8Array(got.body);
    },
  });
  return {
    ...site,
    asked,
    async json(url) {
      const [path = "", query = ""] = url.split("?");
      return JSON.parse((await site.answer(path, new URLSearchParams(query))).text) as TestAnswer;
    },
  };
}
