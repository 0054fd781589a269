import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { createMemoryBucket } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../src/bucket/index.ts";
import { publishSite, type SiteSource } from "../../src/publish/index.ts";
import { testCompany, testSource } from "../../src/publish/testing/test-site.ts";

const first = ["Lone Star", "Capital", "Hill Country", "Bluebonnet", "Riverside", "Summit", "Pioneer", "Golden", "Cedar", "Heritage"]; // prettier-ignore
const kinds = ["Flooring", "Tile", "Carpet", "Hardwood", "Roofing", "Plumbing", "Bakery", "Dental", "Auto Repair", "Landscaping"]; // prettier-ignore
const cities = ["Austin", "San Marcos", "Waco", "Dallas", "El Paso", "Round Rock", "Temple"];

/** Names with frequent and rare words, as companies have. */
export function sampleCompany(at: number) {
  const rare = (at * 2_654_435_761) % 4_294_967_296;
  const owner = rare.toString(36).replaceAll(/\d/g, "x");
  const city = cities[at % cities.length]!;
  const name = `${owner} ${first[at % 10]} ${kinds[Math.floor(at / 10) % 10]} LLC`;
  const site = `${owner}${at}.example`;
  return testCompany(
    {
      name,
      city,
      email: `info@${site}`,
      phone: `+1512${String(at).padStart(7, "0")}`,
      category: kinds[Math.floor(at / 10) % 10]!,
      at: [25 + (at % 1_000) / 100, -100 + (at % 777) / 100],
      slug: `${owner}-${at}`,
    },
    at,
  );
}

export interface SampleSite {
  readonly store: Bucket;
  readonly parts: number;
  readonly manifestBytes: number;
  readonly buildMs: number;
}

/** A site with the pages of the built dashboard. */
export async function publishSample(companies: number, dashboard: string): Promise<SampleSite> {
  const store = createMemoryBucket({ clock: systemClock });
  const assets = readdirSync(join(dashboard, "assets")).map((name) => `assets/${name}`);
  const source: SiteSource = {
    ...testSource([]),
    async *companies() {
      for (let from = 0; from < companies; from += 1_000) {
        const count = Math.min(1_000, companies - from);
        yield Array.from({ length: count }, (_, at) => sampleCompany(from + at));
      }
    },
    dashboardFile: async (path) => readFileSync(join(dashboard, path)),
    pageFiles: [...assets, "index.html"],
  };
  const startMs = performance.now();
  const { signal } = new AbortController();
  await publishSite({ store, source, clock: systemClock, mode: "private", shown: [], signal });
  const buildMs = performance.now() - startMs;
  let parts = 0;
  for (let startAfter = ""; ;) {
    const page = await store.list("data/", { startAfter });
    parts += page.length;
    if (page.length < 1_000) break;
    startAfter = page.at(-1)!.key;
  }
  const manifest = await store.get("manifest.json");
  return { store, parts, manifestBytes: manifest.status === "found" ? manifest.body.byteLength : 0, buildMs }; // prettier-ignore
}

const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" }; // prettier-ignore

export interface SentFile {
  readonly atMs: number;
  readonly bytes: number;
}

export interface SiteServer {
  readonly origin: string;
  /** The data files that were asked for, in this order. */
  readonly sent: SentFile[];
  readonly server: Server;
}

export async function serveStore(store: Bucket): Promise<SiteServer> {
  const sent: SentFile[] = [];
  const server = createServer((request, response) => {
    const atMs = Date.now();
    const path = (request.url ?? "/").slice(1).split("?")[0] || "index.html";
    void store.get(path).then((got) => {
      if (got.status !== "found") return response.writeHead(404).end();
      if (path.startsWith("data/")) sent.push({ atMs, bytes: got.body.byteLength });
      const type = types[extname(path)] ?? "application/octet-stream";
      return response.writeHead(200, { "content-type": type }).end(got.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, server };
}
