import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  mkdirSync,
  existsSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom, type Random } from "../../base/random.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import type { Ledger } from "../../ledger/index.ts";
import { openTestLedger } from "../../ledger/testing/test-ledger.ts";
import { openRecords } from "../open-records.ts";
import type { RecordIndex } from "../search/record-index.ts";
import type { Records } from "../records.ts";
import { createMemoryRecordIndex } from "./memory-record-index.ts";

/** Records in a new folder, with a ledger in memory and a test clock. */
export interface TestRecords extends AsyncDisposable {
  readonly records: Records;
  readonly ledger: Ledger;
  readonly index: RecordIndex;
  readonly clock: TestClock;
  readonly folder: string;
  readonly random: Random;
  /** "" if the file does not exist. */
  read(name: string): string;
  bytes(name: string): Buffer;
  has(name: string): boolean;
  /** Files of records whose name or text matches. */
  grep(pattern: RegExp): readonly string[];
  move(from: string, to: string): void;
  /** Name → text of all files below a folder. */
  tree(folder: string): ReadonlyMap<string, string>;
  /** Files of records that were held back, or kept; their side files are next to them. */
  copies(where: "aside" | "kept"): readonly string[];
  /** The sorted names in a folder. */
  list(folder: string): readonly string[];
  /** Like an editor that writes into the existing file. */
  save(name: string, text: string | Uint8Array): void;
  edit(name: string, change: (text: string) => string): void;
  /** Writes a machine's facts about a company. */
  say(target: string, fields: Readonly<Record<string, unknown>>, source?: string): Promise<void>;
  /** Opens the same folder and ledger again. */
  reopen(options?: { readonly index?: RecordIndex; readonly user?: string }): Promise<Records>;
}

let seeds = 1_000;

export interface TestRecordsOptions {
  readonly ledger?: Ledger;
  readonly index?: RecordIndex;
  readonly clock?: TestClock;
  readonly folder?: string;
}

export async function openTestRecords(options: TestRecordsOptions = {}): Promise<TestRecords> {
  const { clock = createTestClock(), index = createMemoryRecordIndex() } = options;
  const random = createSeededRandom(seeds++);
  const ledger = options.ledger ?? (await openTestLedger({ clock, random }));
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "forager-records-"));
  const common = { ledger, folder, clock, random, log: silentLogger, user: "anna" };
  const records = await openRecords({ ...common, index });
  const path = (name: string) => join(folder, name);
  const list = (name: string) => (existsSync(path(name)) ? readdirSync(path(name)).sort() : []);
  return {
    records,
    ledger,
    index,
    clock,
    folder,
    random,
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : ""),
    bytes: (name) => readFileSync(path(name)),
    has: (name) => existsSync(path(name)),
    move(from, to) {
      mkdirSync(dirname(path(to)), { recursive: true });
      renameSync(path(from), path(to));
    },
    tree: (name) =>
      new Map(
        readdirSync(path(name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
          .map((at) => [at.slice(folder.length + 1), readFileSync(at, "utf8")]),
      ),
    grep: (pattern) =>
      ["companies", "people", "records"]
        .filter((name) => existsSync(path(name)))
        .flatMap((name) => readdirSync(path(name), { recursive: true, withFileTypes: true }))
        .map((entry) => ({ entry, file: join(entry.parentPath, entry.name) }))
        .filter(({ entry, file }) => {
          const text = entry.isFile() ? readFileSync(file, "utf8") : "";
          return pattern.test(file.slice(folder.length)) || pattern.test(text);
        })
        .map(({ file }) => file.slice(folder.length + 1)),
    list,
    copies: (where) => list(`records/${where}`).filter((name) => name.endsWith("_index.md")),
    save(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    edit(name, change) {
      const before = readFileSync(path(name), "utf8");
      const after = change(before);
      if (before === after) throw new Error(`the edit of ${name} changes nothing`);
      writeFileSync(path(name), after);
    },
    async say(target, fields, source = "site:https://acme.com") {
      const changes = Object.entries(fields).map(([field, value]) =>
        value === undefined ? { target, field, unset: true as const } : { target, field, value },
      );
      await records.write({ source, changes });
    },
    reopen: (other = {}) => openRecords({ ...common, index, ...other }),
    async [Symbol.asyncDispose]() {
      await records[Symbol.asyncDispose]();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}
