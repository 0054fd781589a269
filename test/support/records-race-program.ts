/**
 * One of several processes at the records of one data folder, from the built program.
 * `node records-race-program.ts <dist> <data folder> <name> <role>`; roles:
 * - `write`: creates and changes companies that others create and change too, until it is killed or
 *   told to stop; says each fact once it was acknowledged;
 * - `watch`: takes in hand edits, and follows the ledger;
 * - `stumble`: hangs between its write to the ledger and its files, to be killed there.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist = "", folder = "", name = "", role = ""] = process.argv.slice(2);
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Module;

const app = await load<typeof import("../../src/app/index.ts")>("app/index.js");
const config = await load<typeof import("../../src/config/index.ts")>("config/index.js");
const { silentLogger } = await load<typeof import("../../src/base/logger.ts")>("base/logger.js");
const records = await load<typeof import("../../src/records/index.ts")>("records/index.js");
const { systemClock } = await load<typeof import("../../src/base/clock.ts")>("base/clock.js");
const { systemRandom } = await load<typeof import("../../src/base/random.ts")>("base/random.js");

/** What the test hears. */
export type Told =
  | { readonly kind: "open" }
  | { readonly kind: "fact"; readonly domain: string; readonly tag: string }
  | { readonly kind: "written" }
  | { readonly kind: "failed"; readonly error: string };

const tell = (told: Told) => void (process.connected && process.send!(told));
let isStopped = false;
process.on("message", () => (isStopped = true));
process.on("disconnect", () => process.exit(1));

const companies = 6;
const paths = config.createPaths(folder);

async function write(): Promise<void> {
  await using opened = await app.openRecordsIn({ paths, log: silentLogger, user: name });
  const following = opened.records.follow({ everyMs: 200 });
  tell({ kind: "open" });
  for (let number = 1; !isStopped; number++) {
    const which = Math.floor(Math.random() * companies);
    const domain = `c${which}.example`;
    const tag = `${name}-${number}`;
    // Some know its place, and some do not: all the same it is one company, whoever is first.
    const place = Math.random() < 0.5 ? { place: `osm/${which}` } : {};
    const fields = { domain, ...place, name: `Company ${which % 2}`, [`tag/${tag}`]: true };
    const { target } = await opened.records.create({
      source: `site:https://${name}.example`,
      fields,
    });
    tell({ kind: "fact", domain, tag });
    const changes = [{ target, field: `tag/${tag}-more`, value: true }];
    await opened.records.write({ source: `site:https://${name}.example`, changes });
    tell({ kind: "fact", domain, tag: `${tag}-more` });
  }
  await following.stop();
}

async function watch(): Promise<void> {
  await using opened = await app.openRecordsIn({ paths, log: silentLogger, user: name });
  const watching = opened.records.watch({ quietMs: 50, checkMs: 1_000, followMs: 200 });
  tell({ kind: "open" });
  while (!isStopped) await new Promise((resolve) => setTimeout(resolve, 20));
  await watching.stop();
}

async function stumble(): Promise<void> {
  const ledger = await app.openLedgerIn({ paths, log: silentLogger });
  const { openSqliteRecordIndex } = await load<
    typeof import("../../src/records/adapters/sqlite/sqlite-record-index.ts")
  >("records/adapters/sqlite/sqlite-record-index.js");
  const index = openSqliteRecordIndex({
    file: join(folder, "index/records.db"),
    log: silentLogger,
  });
  const halting = {
    ...ledger,
    async write(commit: Parameters<typeof ledger.write>[0]) {
      await ledger.write(commit);
      tell({ kind: "written" });
      return new Promise<never>(() => {});
    },
  };
  const common = { folder, clock: systemClock, random: systemRandom, log: silentLogger };
  const opened = await records.openRecords({ ...common, ledger: halting, index, user: name });
  const changes = [{ target: "company/c0.example", field: `tag/${name}`, value: true }];
  const wait = setInterval(() => {}, 1_000);
  await opened.write({ source: `site:https://${name}.example`, changes });
  clearInterval(wait);
}

const roles: Readonly<Record<string, () => Promise<void>>> = { write, watch, stumble };
try {
  await roles[role]!();
  process.exit(0);
} catch (error) {
  tell({ kind: "failed", error: error instanceof Error ? (error.stack ?? "") : String(error) });
  setTimeout(() => process.exit(2), 100);
}
