/**
 * One of several processes at the records of one data folder, from the built program.
 * `node records-race-program.ts <dist> <data folder> <name> <role>`; roles:
 * - `write`: creates and changes companies that others create and change too, until it is killed or
 *   told to stop; says each fact once it was acknowledged;
 * - `watch`: ingests hand edits; it stays, so it takes over when the owner of the folder is killed;
 * - `stumble`: owns the folder and hangs between its write to the ledger and its files, to be killed
 *   there.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist = "", folder = "", name = "", role = ""] = process.argv.slice(2);
const load = async <Module>(file: string): Promise<Module> =>
  (await import(pathToFileURL(join(dist, file)).href)) as Module;

const app = await load<typeof import("../../src/app/index.ts")>("app/index.js");
const config = await load<typeof import("../../src/config/index.ts")>("config/index.js");
const { silentLogger } =
  await load<typeof import("../../src/base/log/logger.ts")>("base/log/logger.js");
const { readVersion } = await load<typeof import("../../src/base/version.ts")>("base/version.js");

/** What the test hears. */
export type Reported =
  | { readonly kind: "open" }
  | { readonly kind: "fact"; readonly domain: string; readonly tag: string }
  | { readonly kind: "written" }
  | { readonly kind: "failed"; readonly error: string };

const tell = (reported: Reported) => void (process.connected && process.send!(reported));
let isStopped = false;
process.on("message", () => (isStopped = true));
process.on("disconnect", () => process.exit(1));

/**
 * So many that a record is rarely rendered eight times while the test's editor is held up by a busy
 * machine: an edit of an older render is held back, which is not what the race is about.
 */
const companies = 16;
const paths = config.createPaths(folder);

const { openNodeIn } = await app.loadNode();
const gossip = { on: "no", keys: undefined, cluster: "test", host: "127.0.0.1", port: 0 } as const;
const open = (kind: "service" | "command") =>
  openNodeIn({
    kind,
    paths,
    log: silentLogger,
    user: name,
    version: readVersion(),
    services: {
      gossip: { ...gossip, peers: "", mdns: "no" },
      ledger: { hub: "never", archive: "keep" },
      keyring: () => undefined,
      bucket: undefined,
      config: () => "test",
      label: "test",
    },
  });

async function write(): Promise<void> {
  await using node = await open("command");
  const { records } = node.api;
  tell({ kind: "open" });
  for (let number = 1; !isStopped; number++) {
    const which = Math.floor(Math.random() * companies);
    const domain = `c${which}.example`;
    const tag = `${name}-${number}`;
    // Some know its place, and some do not: all the same it is one company, whoever is first.
    const place = Math.random() < 0.5 ? { place: `osm/${which}` } : {};
    const fields = { domain, ...place, name: `Company ${which % 2}`, [`tag/${tag}`]: true };
    const source = `site:https://${name}.example`;
    const { target } = await records.create({ source, fields });
    tell({ kind: "fact", domain, tag });
    const changes = [{ target, field: `tag/${tag}-more`, value: true }];
    await records.write({ source, changes });
    tell({ kind: "fact", domain, tag: `${tag}-more` });
  }
}

async function watch(): Promise<void> {
  await using node = await open("service");
  const over = new AbortController();
  const watching = node.api.records.watch({ quietMs: 50, checkMs: 1_000 }, over);
  tell({ kind: "open" });
  while (!isStopped) await new Promise((resolve) => setTimeout(resolve, 20));
  over.abort();
  // If the owner ends at the same time, the call ends with its connection, or while it looks for the
  // next owner. Both are how a watch that was stopped may end.
  await watching.catch((error: unknown) => {
    const { kind } = error as { readonly kind?: unknown };
    if (kind !== "aborted" && kind !== "unavailable") throw error;
  });
}

async function stumble(): Promise<void> {
  const { createLazyRecords } = await load<typeof import("../../src/app/node/open-records.ts")>(
    "app/node/open-records.js",
  );
  const { openExclusiveLedger } =
    await load<typeof import("../../src/app/node/open-ledger.ts")>("app/node/open-ledger.js");
  const ledger = await openExclusiveLedger({ paths, log: silentLogger });
  const halting = {
    ...ledger,
    async write(commit: Parameters<typeof ledger.write>[0]) {
      await ledger.write(commit);
      tell({ kind: "written" });
      return new Promise<never>(() => {});
    },
  };
  const lazy = createLazyRecords({ paths, log: silentLogger, user: name, ledger: halting });
  const { records } = await lazy.open();
  tell({ kind: "open" });
  await new Promise<void>((resolve) => process.once("message", () => resolve()));
  const target = records.resolve("company", "c0.example")!;
  const changes = [{ target, field: `tag/${name}`, value: true }];
  const wait = setInterval(() => {}, 1_000);
  await records.write({ source: `site:https://${name}.example`, changes });
  clearInterval(wait);
}

const roles: Readonly<Record<string, () => Promise<void>>> = { write, watch, stumble };
try {
  await roles[role]!();
  process.exit(0);
} catch (error) {
  const what = error instanceof Error ? (error.stack ?? "") : String(error);
  tell({ kind: "failed", error: `${role}: ${what}` });
  setTimeout(() => process.exit(2), 100);
}
