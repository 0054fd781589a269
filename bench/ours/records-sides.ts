import { strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createReadStream } from "node:fs";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { openDirectoryBucket } from "../../src/bucket/adapters/directory/directory-bucket.ts";
import { readCompanyLines } from "../../src/app/exchange/company-lines.ts";
import { importLines } from "../../src/app/exchange/import-lines.ts";
import { createPaths } from "../../src/config/index.ts";
import type { NodeApi } from "../../src/node/index.ts";
import { openExclusiveLedger } from "../../src/app/node/open-ledger.ts";
import { compactOnce, type Change } from "../../src/ledger/index.ts";
import { companyCsvLine } from "../../src/records/index.ts";
import type { Side, SideContext } from "../frame/side.ts";

export interface RecordsInput {
  readonly companies: number;
  readonly searches: number;
  readonly opened: number;
  readonly saved: number;
}

export interface ImportInput {
  readonly lines: number;
}

const [clock, random, log] = [systemClock, systemRandom, silentLogger];
const pathsIn = ({ folder }: SideContext) => createPaths(join(folder, "node"));
const openIn = async (context: SideContext): Promise<NodeApi & AsyncDisposable> => {
  const options = { paths: pathsIn(context), log, user: "bench", version: "bench" };
  const node = await openNodeIn({ ...options, kind: "command" });
  return { ...node.api, [Symbol.asyncDispose]: () => node.close() };
};
/** Opens files and index as well. */
const openFilled = async (context: SideContext) => {
  const node = await openIn(context);
  await node.records.catchUp();
  return node;
};

/** Names of the sizes that real ones have: two or three words, some of them in every tenth name. */
const cities = ["Austin", "Dallas", "Houston", "El Paso", "Waco", "Lubbock", "Laredo", "Plano"];
const trades = ["Flooring", "Roofing", "Plumbing", "Painting", "Carpet", "Tiles", "Masonry"];
const forms = ["Inc.", "LLC", "GmbH", "& Sons", "Brothers"];
const syllables = [
  "ba",
  "cor",
  "den",
  "fal",
  "gra",
  "hol",
  "jen",
  "kim",
  "lor",
  "mar",
  "nor",
  "pet",
];

function wordOf(index: number): string {
  let [word, left] = ["", index + 12];
  for (; left > 0; left = Math.floor(left / syllables.length)) {
    word += syllables[left % syllables.length]!;
  }
  return word[0]!.toUpperCase() + word.slice(1);
}

export function factsOf(index: number) {
  const city = cities[(index * 7) % cities.length]!;
  const trade = trades[(index * 11) % trades.length]!;
  const own = wordOf(index % 30_000);
  const name = `${own} ${city} ${trade} ${forms[index % forms.length]}`;
  return { city, trade, own, name, domain: `${own.toLowerCase()}-${index}.example` };
}

function changesOf(index: number): readonly Change[] {
  const { city, trade, name, domain } = factsOf(index);
  const target = `company/${domain}`;
  const phone = `+1512${String(1_000_000 + index)}`;
  const fields: Readonly<Record<string, unknown>> = {
    name,
    domain,
    website: `https://www.${domain}/`,
    city,
    country: "US",
    street: `${index} Main St`,
    rating: 3 + (index % 21) / 10,
    reviews: index % 500,
    [`email/info@${domain}`]: { label: "office", url: `https://www.${domain}/contact` },
    [`phone/${phone}`]: true,
    [`category/${trade} contractor`]: true,
    [`tag/batch-${index % 40}`]: true,
  };
  return Object.entries(fields).map(([field, value]) => ({ target, field, value }));
}

/** As a fleet's node has it: most of it in a checkpoint, the last of it in the journal. */
export async function fillLedger(context: SideContext, companies: number): Promise<void> {
  await using ledger = await openExclusiveLedger({ paths: pathsIn(context), log });
  const inCheckpoint = Math.floor(companies * 0.95);
  const write = async (from: number, to: number) => {
    let next = from;
    const writer = async () => {
      while (next < to) {
        const first = next;
        next = Math.min(to, next + 20);
        const changes = Array.from({ length: next - first }, (_, at) => changesOf(first + at));
        await ledger.write({ source: "place:osm/bench", changes: changes.flat() });
      }
    };
    await Promise.all(Array.from({ length: 32 }, writer));
  };
  await write(0, inCheckpoint);
  const bucket = openDirectoryBucket({ root: join(context.folder, "bucket"), clock, random });
  const sync = ledger.withBucket(bucket);
  await sync.sync();
  const done = await compactOnce({ bucket, clock, random, log, owner: ledger.node() });
  strictEqual(done.status, "done");
  await sync.sync();
  strictEqual(ledger.status().checkpoint > 0, true);
  await write(inCheckpoint, companies);
  await bucket[Symbol.asyncDispose]();
}

/** Everything that people wait for, on one pool: filling it, then searching, opening, saving. */
export const records: Side<RecordsInput> = async (input, context) => {
  const { companies } = input;
  await fillLedger(context, companies);
  return {
    async run() {
      const fill = await spent(async () => (await openFilled(context))[Symbol.asyncDispose]());
      await using pool = await openIn(context);
      const rebuild = await spent(async () => {
        const built = await pool.records.rebuild();
        strictEqual(built.records, companies);
      });
      return {
        fillS: fill.seconds,
        fillCpuS: fill.cpuSeconds,
        indexRebuildS: rebuild.seconds,
        indexRebuildCpuS: rebuild.cpuSeconds,
        ...(await useOf(pool, input)),
      };
    },
  };
};

/** What people wait for, one thing after the other. */
export async function useOf(pool: NodeApi, input: RecordsInput) {
  const { companies, searches, opened, saved } = input;
  const searchMs = await samples(searches, async (at) => {
    const { rows } = await pool.records.search({
      kind: "company",
      limit: 50,
      ...queryOf(at, companies),
    });
    strictEqual(rows.length > 0, true);
  });
  const some = await pool.records.search({ kind: "company", limit: 1_000 });
  const slugs = some.rows.map((found) => (found.kind === "company" ? found.company.slug : ""));
  const openMs = await samples(opened, async (at) => {
    const slug = slugs[(at * 37) % slugs.length]!;
    strictEqual((await pool.records.company(slug))?.slug, slug);
  });
  const saveMs = await samples(saved, async (at) => {
    const slug = slugs[(at * 53) % slugs.length]!;
    const target = (await pool.records.resolve("company", slug))!;
    const changes = [
      { target, field: "status", value: `called ${at} of ${companies}, ${clock.nowMs()}` },
    ];
    const { datagrams } = await pool.records.write({ source: "hand:bench", changes });
    strictEqual(datagrams.length, 1);
  });
  let written = 0;
  const { seconds: exportS } = await spent(async () => {
    let after: string | undefined;
    do {
      const query = { kind: "company", sort: "name", limit: 500 } as const;
      const page = await pool.records.search({ ...query, ...(after !== undefined && { after }) });
      for (const row of page.rows) {
        if (row.kind === "company" && companyCsvLine(row.company) !== "") written += 1;
      }
      after = page.next;
    } while (after !== undefined);
  });
  strictEqual(written, companies);
  return {
    searchP95Ms: rankOf(searchMs, 0.95),
    openMs: rankOf(openMs, 0.5),
    openP95Ms: rankOf(openMs, 0.95),
    saveMs: rankOf(saveMs, 0.5),
    saveP95Ms: rankOf(saveMs, 0.95),
    exportPerS: companies / exportS,
  };
}

/** What people type: one rare word, a common one, several, beginnings, with filters and orders. */
export function queryOf(at: number, companies: number) {
  const { own, city, trade } = factsOf((at * 7_919) % companies);
  const kinds = [
    { words: own },
    { words: city },
    { words: `${trade.slice(0, 4)} ${city}` },
    { words: `${own.slice(0, 3)} ${trade}` },
    { words: `${city} ${trade} info` },
    { words: own.slice(0, 2) },
    { words: trade, filters: { city, hasEmail: true } },
    { words: "", filters: { tag: [`batch-${at % 40}`] }, sort: "rating" },
    { words: city, filters: { ratingMin: 4.5 } },
    { words: trade, sort: "changed" },
  ] as const;
  return kinds[at % kinds.length]!;
}

/** Time by the clock, and what this process had of the processors: others may have them too. */
async function spent(work: () => PromiseLike<void>) {
  const [startedAtMs, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedAtMs) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

async function samples(count: number, work: (at: number) => Promise<void>) {
  const found: number[] = [];
  for (let at = 0; at < count; at++) {
    const startedAtMs = performance.now();
    await work(at);
    found.push(performance.now() - startedAtMs);
  }
  return found;
}

const rankOf = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!;

/** A file as it comes from elsewhere, through all that `forager import companies` does. */
export const importCsv: Side<ImportInput> = async ({ lines }, context) => {
  const rows = Array.from({ length: lines }, (_, index) => {
    const { city, trade, name, domain } = factsOf(index);
    const phone = `(512) ${String(2_000_000 + index).replace(/(...)(?=....$)/, "$1-")}`;
    return `"${name}",www.${domain},info@${domain},${phone},${index} Main St,${city},${trade},4.5`;
  });
  const header = "Company,Website,E-Mail,Phone,Street,City,Category,Rating";
  const file = join(context.folder, "companies.csv");
  await writeFile(file, [header, ...rows, ""].join("\r\n"));
  const at = new Date(clock.nowMs()).toISOString();
  return {
    run: importAll,
    async check() {
      await using opened = await openIn(context);
      strictEqual(await opened.records.count({ kind: "company" }, lines + 1), lines);
    },
  };

  async function importAll() {
    await using opened = await openIn(context);
    const options = { format: "csv", encoding: "utf-8", country: "US", at } as const;
    const report = await importLines({
      records: opened.records,
      lines: readCompanyLines(createReadStream(file) as AsyncIterable<Buffer>, options),
      source: "place:file/companies.csv",
      isDryRun: false,
      signal: new AbortController().signal,
      onLines: () => {},
    });
    strictEqual(report.created, lines);
  }
};
