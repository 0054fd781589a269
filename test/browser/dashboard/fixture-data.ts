/**
 * Made-up answers of the API, in its shape: for states that a real folder does not show at will (hostile names, 50,000
 * tiles, an empty folder). The journeys run against the real server.
 */
export const nowMs = Date.parse("2026-11-17T19:00:00Z");
const stamp = (ageMs: number) => `${new Date(nowMs - ageMs).toISOString()}-0000`;

const cities = ["Austin", "Round Rock", "Pflugerville", "San Marcos", "Bastrop", "Georgetown"];
const names = ["Capital Hardwood Floors", "Lone Star Tile & Stone", "Müller Parkett", "Hill Country Carpet", "Barton Creek Flooring", "Pecan Street Interiors", "Live Oak Floors", "Bluebonnet Tile"]; // prettier-ignore
const trades = ["Flooring contractor", "Carpet store", "Tile store"];

/** Repeatable: the pictures of the pages do not change from run to run. */
function createDice(seed: number): () => number {
  let state = (seed * 48_271 + 12_345) % 2_147_483_647;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

export function sampleCompany(index: number, more: object = {}) {
  const dice = createDice(index + 7);
  const name = `${names[index % names.length]}${index < names.length ? "" : ` ${index}`}`;
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const city = cities[Math.floor(dice() * cities.length)]!;
  const hasEmail = dice() < 0.7;
  const domain = `${slug}.example`;
  return {
    target: `company/c${index}`,
    slug,
    slugWanted: slug,
    aliases: [],
    name,
    texts: { domain, website: `https://www.${domain}/`, city, state: "TX", country: "US" },
    numbers: { latitude: 30.05 + ((index * 0.7548776662) % 1) * 0.7, longitude: -98.1 + ((index * 0.5698402909) % 1) * 0.8, rating: 3.5 + Math.round(dice() * 15) / 10, reviews: Math.round(dice() * 300) }, // prettier-ignore
    emails: hasEmail ? [{ value: `hello@${domain}`, url: `https://www.${domain}/contact` }] : [],
    phones: [{ value: `+1512555${String(100 + index).padStart(4, "0")}` }],
    socials: {},
    tags: index % 5 === 0 ? ["call first"] : [],
    categories: [trades[index % 3]!],
    services: [],
    products: [],
    tech: [],
    keywords: [],
    people: [],
    entries: [],
    extra: {},
    changedAt: stamp(12_000 + index * 47_000),
    ...(hasEmail ? {} : { visit: { at: stamp(9e6), outcome: "robots", version: 7, pages: 1, requests: 1 } }), // prettier-ignore
    ...more,
  };
}

/** What has to be shown beside open data. */
const licences = [{ text: "© OpenStreetMap contributors", licence: "ODbL-1.0", url: "https://www.openstreetmap.org/copyright" }]; // prettier-ignore

type Sample = ReturnType<typeof sampleCompany>;

export function shownCompany(company: Sample) {
  const fact = (field: string, value: unknown, source: string, ageMs: number) => ({
    field,
    value,
    source,
    stamp: stamp(ageMs),
    node: "pi-3",
    dot: "pi-3/s1/1",
  });
  const site = `https://www.${company.texts.domain}/contact`;
  return {
    ...company,
    file: `companies/${company.slug}/_index.md`,
    problems: [],
    provenance: [
      fact("name", company.name, "osm:node/4711", 86_400_000),
      fact("city", company.texts.city, "osm:node/4711", 86_400_000),
      fact("website", company.texts.website, "osm:node/4711", 86_400_000),
      ...company.phones.map(({ value }) => fact(`phone/${value}`, { url: site }, "web", 12_000)),
      ...company.emails.map(({ value }) => fact(`email/${value}`, { url: site }, "web", 12_000)),
      ...company.categories.map((value) =>
        fact(`category/${value}`, true, "osm:node/4711", 8.64e7),
      ),
      fact("found/30.2_-97.8/flooring contractor", { source: "osm" }, "osm", 90_000_000),
    ],
    duplicates: company.target === "company/c0" ? [{ target: "company/c0b", slug: "capital-hardwood", name: "Capital Hardwood", because: "domain" }] : [], // prettier-ignore
    merged: company.target === "company/c0" ? [{ target: "company/x", slug: "capital-floors", name: "Capital Floors" }] : [], // prettier-ignore
    licences,
    visit: { at: stamp(12_000), outcome: "done", version: 7, seen: ["a", "b"] },
  };
}

export function sampleCoverage(tiles: number) {
  const dice = createDice(tiles);
  const today = Math.floor(nowMs / 86_400_000);
  const side = Math.ceil(Math.sqrt(tiles * 1.4));
  const rows: (number | null)[][] = [];
  for (let index = 0; index < tiles; index += 1) {
    const [x, y] = [index % side, Math.floor(index / side)];
    const [lat10, lon10] = [
      302 + y - Math.floor(tiles / side / 2),
      -978 + x - Math.floor(side / 2),
    ];
    const roll = dice();
    const isNever = roll > 0.86;
    const found = roll < 0.12 ? 0 : Math.ceil(dice() * 40);
    const at = today - Math.floor(dice() * 120);
    if (isNever) rows.push([lat10, lon10, roll > 0.96 ? 3 : 4, 0, null, null]);
    else rows.push([lat10, lon10, found === 0 ? 1 : at + 90 < today ? 2 : 0, found, at, at + 90]);
  }
  return { rows };
}

export const sampleReport = {
  format: "forager-campaign-report/1",
  campaign: "austin-flooring",
  at: new Date(nowMs - 40_000).toISOString(),
  tiles: { planned: 540, fresh: 340, empty: 40, expired: 20, failed: 12, never: 128 },
  targets: {
    planned: 1_080,
    fresh: 700,
    empty: 90,
    expired: 40,
    failed: 20,
    never: 230,
    leftOut: 0,
  },
  funnel: { tiles: 412, places: 4_310, companies: 3_871, withWebsite: 2_940, visited: 2_611, enriched: 2_400, withContact: 2_250, withEmail: 1_912, withPhone: 3_510 }, // prettier-ignore
  rows: [
    { phrase: "flooring contractor", source: "osm", tiles: 412, places: 2_310, companies: 2_100, withWebsite: 1_700, visited: 1_500, enriched: 1_400, withContact: 1_300, withEmail: 1_112, withPhone: 1_900 }, // prettier-ignore
    { phrase: "carpet store", source: "osm", tiles: 400, places: 2_000, companies: 1_871, withWebsite: 1_240, visited: 1_111, enriched: 1_000, withContact: 950, withEmail: 800, withPhone: 1_610 }, // prettier-ignore
  ],
  fields: [
    { field: "phone", companies: 3_510, share: 0.9067 },
    { field: "website", companies: 2_940, share: 0.7595 },
    { field: "email", companies: 1_912, share: 0.4939 },
    { field: "hours", companies: 1_400, share: 0.3617 },
  ],
  withoutEmail: {
    companies: 1_959,
    reasons: [
      { reason: "no_website", text: "no website is known", companies: 931, examples: ["live-oak-floors"] }, // prettier-ignore
      { reason: "no_email_on_site", text: "the website was read and shows no address", companies: 488, examples: ["bluebonnet-tile"] }, // prettier-ignore
      { reason: "not_visited", text: "the website was not visited yet", companies: 329, examples: ["hill-country-carpet"] }, // prettier-ignore
      { reason: "robots", text: "robots.txt does not allow the visit", companies: 211, examples: ["lone-star-tile-stone"] }, // prettier-ignore
    ],
  },
  cost: { leads: 1_912, websiteRequests: 7_833, websiteRequestsPerLead: 4.1, bucketRequests: 9_100, bucketDollars: 0.04, bucketDollarsPerLead: 0.000021 }, // prettier-ignore
  freshness: { visits: { days7: 2_400, days30: 100, days90: 80, older: 31, never: 1_260 } },
  excluded: 4,
  filtered: [],
  tasks: { pending: 1_284, running: 18, done: 9_100, skipped: 12, failed: 38 },
  alarms: [],
  licences,
};

const reasons = [
  { reason: "domain_delay", count: 1_040, share: 0.81, oldestAgeMs: 41_000 },
  { reason: "worker_capacity", count: 154, share: 0.12, oldestAgeMs: 12_000 },
  { reason: "retry_backoff", count: 52, share: 0.04, oldestAgeMs: 300_000 },
  { reason: "paused", count: 38, share: 0.03, oldestAgeMs: 900_000 },
];
const waits = { count: 10, p50Ms: 1, p95Ms: 2, p99Ms: 3 };
const kind = (name: string, pending: number, done: number, failed: number) => ({ kind: name, pending, running: 6, done, skipped: 4, failed, claimable: 0, claimableAgeMs: 0, reasons: [], waits }); // prettier-ignore

const failedText = "38 tiles failed with overpass 429. Nothing is lost; try them again: `forager queue retry --kind discover`"; // prettier-ignore

export const sampleStatus = {
  atMs: nowMs,
  version: "0.1.0",
  attention: [failedText],
  problems: [{ name: "failed_tasks", subject: "discover", text: failedText }],
  hub: { node: "n1", epoch: 3, state: "held", ageMs: 1_000 },
  hubGap: null,
  checkpoint: null,
  gossip: null,
  gossipKey: "own",
  queue: {
    address: "sqlite:queue.db",
    states: { pending: 1_284, running: 18, done: 9_100, skipped: 12, failed: 38 },
    reasons,
    kinds: [kind("discover", 128, 412, 38), kind("details", 220, 3_871, 0), kind("enrich", 936, 2_611, 0)], // prettier-ignore
    log: { entries: 9_100, oldestAtMs: nowMs - 1e8, keptKeys: 0 },
    keep: { doneDays: 7, failedDays: 30, keysDays: 90 },
  },
  nodes: ["laptop", "pi-2", "pi-3"].map((label, index) => ({
    node: `n${index + 1}`,
    label,
    isSelf: index === 0,
    lastSeenMs: nowMs,
    agoMs: 900,
    isPresent: true,
    session: "s",
    addresses: [],
    how: "gossip",
    rttMs: 2,
    beat: {
      atMs: nowMs,
      label,
      version: index === 2 ? "0.0.9" : "0.1.0",
      state: "working",
      config: "c1",
      load1: 0.9 + index / 3,
      memoryBytes: { total: 8e9, free: index === 2 ? 0.5e9 : 4e9 },
      diskBytes: { total: 64e9, free: 40e9 - 12e9 * index },
      ...(index > 0 && { temperatureC: 55 + 8 * index }),
      kinds: { discover: [1, 1], enrich: [6, 4 + index] },
      clockOffsetMs: 12 * index,
      peers: 2,
      alerts: [],
    },
    drift: index === 0 ? null : { missingHere: index === 2 ? 12 : 0, missingThere: 0, seconds: 3 },
    lacks: index === 2 ? [] : [{ of: "n3", datagrams: 12 + index }],
  })),
};

export function sampleThroughput() {
  const dice = createDice(7);
  let value = 40;
  const done = Array.from({ length: 60 }, () => {
    value = Math.max(8, Math.min(120, value + (dice() - 0.45) * 16));
    return Math.round(value);
  });
  const firstS = Math.floor(nowMs / 60_000) * 60 - 60 * 60;
  return {
    minutes: 60,
    times: done.map((_, at) => firstS + at * 60),
    done,
    failed: done.map((_, at) => (at % 17 === 3 ? 6 : 0)),
    isComplete: true,
    left: 1_302,
    leftMinutes: [12, 15],
  };
}

export const sampleCampaigns = {
  rows: [
    { campaign: "austin-flooring", phrases: ["flooring contractor", "carpet store"], locations: [{ name: "Austin, TX", latitude: 30.27, longitude: -97.74, proximityKm: 40 }, { name: "Round Rock, TX", latitude: 30.5, longitude: -97.68, proximityKm: 20 }], fault: null }, // prettier-ignore
    { campaign: "munich-bakers", phrases: ["bakery"], locations: [{ name: "München", latitude: 48.14, longitude: 11.58, proximityKm: 20 }], fault: null }, // prettier-ignore
  ],
};

export const sampleCampaignStatus = { campaign: "austin-flooring", tiles: 540, targets: 1_080, fresh: 700, empty: 90, expired: 40, never: 250, leftOut: 0, found: 4_310, nextDueAt: null, tasks: sampleReport.tasks }; // prettier-ignore

export const sampleSession = {
  by: "session",
  user: "operator",
  role: null,
  isFresh: true,
  confirmBy: null,
  environment: "demo",
  mapTiles: null,
  scopes: ["status:read", "queue:read", "companies:read", "companies:write", "queue:write", "campaigns:read", "campaigns:write", "exports:read", "fleet:read", "fleet:command", "webhooks:write", "audit:read", "users:admin"], // prettier-ignore
  version: "0.1.0",
  nowMs,
};
