/**
 * The groups of `npm run test:long`, and a small file in the repository that says when each last
 * passed and on which commit. A group is run before a change that touches it is called done.
 */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../project.ts";
import { AppError } from "../../src/base/app-error.ts";
import type { TestFile } from "./test-files.ts";

/** Each group and what it proves beyond `npm test`. */
export const longGroups: Readonly<Record<string, string>> = {
  arm64: "the release for 64-bit ARM runs, in qemu",
  browser: "a browser's memory over many pages",
  chaos: "races, crashes and faults of several minutes on every backend",
  containers:
    "the image, three nodes in containers, the service and deploys on machines with systemd",
  dashboard: "the dashboard's speed with much data, and its memory after an hour of events",
  docs: "the docs site, built with its generator",
  fleet: "several nodes on a bucket for minutes",
  pooler: "the queue through PgBouncer in transaction mode",
  postgres15: "the queue on the oldest PostgreSQL that is supported",
  power: "nothing acknowledged is lost at 50 power cuts",
  release: "the same sources give the same release, byte for byte, for every platform",
  sabotage: "every known-wrong variant of the cores is caught",
  shards: "the queue's suite on several shards",
  simulation: "hundreds of seeds of every simulation",
  stores: "the queue's suite on every kind of bucket",
  upgrade: "this version and the one before in one fleet, on each backend",
};

export interface LongRun {
  readonly commit: string;
  readonly passedAt: string;
  readonly tests: number;
  readonly seconds: number;
  readonly node: string;
}

type LongRuns = Readonly<Record<string, LongRun>>;

const runsFile = join(root, "test", "long-runs.json");

export function checkGroups(names: readonly string[]): void {
  const unknown = names.filter((name) => !(name in longGroups));
  if (unknown.length === 0) return;
  const known = Object.keys(longGroups).join(", ");
  const message = `there is no long group "${unknown.join(" ")}"; there are ${known}`;
  throw new AppError("invalid", "unknown_group", message);
}

/** The table of `npm run test:long -- --list`. */
export async function listLongGroups(files: readonly TestFile[]): Promise<string> {
  const runs = await readRuns();
  const rows = Object.entries(longGroups).map(([name, purpose]) => {
    const count = files.filter(({ longGroup }) => longGroup === name).length;
    const run = runs[name];
    const last = run
      ? `${run.passedAt.slice(0, 16)}Z  ${run.commit.slice(0, 10)}  ${String(run.tests).padStart(5)} tests in ${run.seconds} s on Node ${run.node}`
      : "never";
    return `${name.padEnd(12)} ${String(count).padStart(2)} files  ${last}\n${" ".repeat(13)}${purpose}`;
  });
  return rows.join("\n");
}

/** Remembers that a group passed. Only a commit can be named, so a changed tree is not recorded. */
export async function recordLongRun(
  group: string,
  { tests, seconds }: { readonly tests: number; readonly seconds: number },
): Promise<boolean> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const changed = git("status", "--porcelain", "--", ".", ":!test/long-runs.json").trim();
  if (changed !== "") return false;
  const run: LongRun = {
    commit: git("rev-parse", "HEAD").trim(),
    passedAt: new Date().toISOString(),
    tests,
    seconds: Math.round(seconds),
    node: process.versions.node,
  };
  const runs = { ...(await readRuns()), [group]: run };
  const sorted = Object.fromEntries(Object.entries(runs).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(runsFile, `${JSON.stringify(sorted, undefined, 2)}\n`);
  return true;
}

async function readRuns(): Promise<LongRuns> {
  const text = await readFile(runsFile, "utf8").catch(() => "{}");
  return JSON.parse(text) as LongRuns;
}
