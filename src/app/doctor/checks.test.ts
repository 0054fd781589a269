import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import type { CheckContext } from "./check.ts";
import { checkClock } from "./clock-check.ts";
import { checkDataFolder } from "./data-folder-check.ts";
import { createDiskCheck } from "./disk-check.ts";
import { nodeFloor } from "../../base/process/require-node.ts";
import { checkGossipKey } from "./gossip-key-check.ts";
import { checkLedger } from "./ledger-check.ts";
import { createNodeCheck } from "./node-check.ts";
import { checkSecrets } from "./secrets-check.ts";
import { createSqliteCheck } from "./sqlite-check.ts";
import { checkTempFolder } from "./temp-folder-check.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "forager-checks-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

async function createContext(folder = join(home, "data"), clock = createTestClock()) {
  const { settings } = await loadSettings({ cwd: home, home, env: {} });
  const signal = new AbortController().signal;
  const warnings: readonly string[] = [];
  return { settings, paths: createPaths(folder), warnings, clock, signal } satisfies CheckContext;
}

test.each([
  ["20.20.2", "fail"],
  ["22.13.9", "fail"],
  ["22.14.0", "ok"],
  ["24.0.0", "ok"],
  ["9.99.0", "fail"],
])("Node %s is %s", async (version, state) => {
  expect(await createNodeCheck(version).run(await createContext())).toMatchObject({ state });
});

test("the floor of Node is the one that package.json states", async () => {
  const text = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${nodeFloor}`);
});

test.each([
  [2 ** 30, "ok"],
  [2 ** 30 - 1, "warn"],
  [100 * 2 ** 20, "warn"],
  [100 * 2 ** 20 - 1, "fail"],
])("%d free bytes are %s", async (bytes, state) => {
  const check = createDiskCheck(async () => bytes);
  expect(await check.run(await createContext())).toMatchObject({ state });
});

test("free space is measured where the data folder is going to be", async () => {
  const measured: string[] = [];
  const check = createDiskCheck(async (path) => (measured.push(path), 2 ** 40));
  await check.run(await createContext(join(home, "a", "b")));
  expect(measured).toEqual([home]);
  const { detail } = await createDiskCheck().run(await createContext());
  expect(detail).toMatch(/^\d+(\.\d)? [MG]iB free at /);
});

test("a data folder that is not there yet is fine, and is not made", async () => {
  const context = await createContext(join(home, "a", "b"));
  expect(await checkDataFolder.run(context)).toMatchObject({ state: "ok" });
  expect(await readdir(home)).toEqual([]);
});

test("a data folder that every user can read is a warning with the way out", async () => {
  const folder = join(home, "data");
  await mkdir(folder);
  await chmod(folder, 0o755);
  const context = await createContext(folder);
  expect(await checkDataFolder.run(context)).toMatchObject({
    state: "warn",
    advice: `run: chmod -R o-rwx ${folder}`,
  });
  await chmod(folder, 0o750);
  expect(await checkDataFolder.run(context)).toMatchObject({ state: "ok" });
});

test("a file where the data folder should be, or on the way to it, fails", async () => {
  const file = join(home, "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "below"), join(file, "far", "below")]) {
    expect(await checkDataFolder.run(await createContext(folder))).toMatchObject({
      state: "fail",
      detail: `${file} is not a folder`,
    });
  }
});

test("a data folder on a file system that takes no files fails", async () => {
  // Root may write to any folder whatever its mode, but not even root can create one here.
  const finding = await checkDataFolder.run(await createContext("/proc/forager"));
  expect(finding).toMatchObject({ state: "fail" });
});

test("the temp folder is tried, and left as it was", async () => {
  vi.stubEnv("TMPDIR", home);
  const context = await createContext();
  expect(await checkTempFolder.run(context)).toMatchObject({ state: "ok" });
  expect(await readdir(home)).toEqual([]);
  vi.stubEnv("TMPDIR", join(home, "absent"));
  expect(await checkTempFolder.run(context)).toMatchObject({ state: "fail" });
});

test("a clock in the wrong century fails", async () => {
  const context = await createContext(home, createTestClock(0));
  expect(await checkClock.run(context)).toMatchObject({
    state: "fail",
    detail: "it is not the year 1970",
  });
});

test.each([
  [0, "ok"],
  [40, "ok"],
  [60, "warn"],
  [-60, "warn"],
])("a wall clock that jumps by %d ms meanwhile is %s", async (jumpMs, state) => {
  const clock = createTestClock();
  const finding = checkClock.run(await createContext(home, clock));
  await clock.advance(50);
  clock.step(jumpMs);
  await clock.advance(50);
  expect(await finding).toMatchObject({ state });
});

test("SQLite that does not load says how to install it again", async () => {
  const broken = createSqliteCheck(() => Promise.reject(new Error("no native build was found")));
  expect(await broken.run(await createContext())).toMatchObject({
    state: "fail",
    detail: "better-sqlite3 does not load: no native build was found",
    advice: expect.stringContaining("npm install") as string,
  });
  const { state, detail } = await createSqliteCheck().run(await createContext());
  expect(state).toBe("ok");
  expect(detail).toMatch(/^version 3\.\d+/);
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ["nobody to reach", {}, "ok", /none is needed/],
  ["gossip off", { FORAGER_GOSSIP_ON: "no", FORAGER_BUCKET_URL: "dir:b" }, "ok", /none is needed/],
  ["a bucket", { FORAGER_BUCKET_URL: "dir:b" }, "ok", /own key .*gossip\.key, created at the first start.*only through the bucket/],
  ["peers", { FORAGER_GOSSIP_PEERS: "pi-7:9999" }, "warn", /own key .*only.*other machines cannot join; set gossip\.keys/],
  ["an open address", { FORAGER_BUCKET_URL: "dir:b", FORAGER_GOSSIP_HOST: "0.0.0.0" }, "warn", /own key/],
  ["a loopback address", { FORAGER_BUCKET_URL: "dir:b", FORAGER_GOSSIP_HOST: "127.0.0.1" }, "ok", /own key/],
  ["keys", { FORAGER_GOSSIP_PEERS: "pi-7:9999", FORAGER_GOSSIP_KEYS: "k" }, "ok", /from gossip\.keys/],
])("doctor says which gossip key is used, with %s", async (_name, env, state, words) => {
  const context = await createContext();
  const { settings } = await loadSettings({ cwd: home, home, env });
  const found = await checkGossipKey.run({ ...context, settings });
  expect(found.state).toBe(state);
  expect(`${found.detail} ${found.advice ?? ""}`).toMatch(words);
}); // prettier-ignore

test("a ledger whose last sync missed something in the bucket is a warning that says what", async () => {
  const context = await createContext();
  expect(await checkLedger.run(context)).toMatchObject({ state: "ok" });
  const file = join(home, "data", "ledger", "node.json");
  await mkdir(join(home, "data", "ledger"), { recursive: true });
  const [node, session] = ["0".repeat(13), "0".repeat(26)];
  const identity = {
    format: 1,
    node,
    label: "",
    sessions: [session],
    published: {},
    highWater: "",
  };
  await writeFile(file, JSON.stringify(identity));
  expect(await checkLedger.run(context)).toMatchObject({ state: "ok" });
  const faults = ["ledger/wal/x is missing", "ledger/wal/y is missing"];
  await writeFile(file, JSON.stringify({ ...identity, faults }));
  const found = await checkLedger.run(context);
  expect(found).toMatchObject({ state: "warn", advice: expect.stringContaining("ledger verify") });
  expect(found.detail).toContain("ledger/wal/x is missing (and 1 more)");
  await writeFile(file, "{");
  expect(await checkLedger.run(context)).toMatchObject({ state: "fail" });
});

test("doctor warns of secrets in plain text and of key files that others can read", async () => {
  const context = await createContext();
  expect(await checkSecrets.run(context)).toMatchObject({ state: "ok" });
  const warnings = ["a.toml:1:1: queue.password contains a secret in plain text"];
  expect(await checkSecrets.run({ ...context, warnings })).toMatchObject({
    state: "warn",
    detail: warnings[0],
  });
  const { settings } = await loadSettings({
    cwd: home,
    home,
    env: { FORAGER_BUCKET_URL: "dir:b" },
  });
  const file = join(home, "data", "node", "gossip.key");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "", { mode: 0o600 });
  expect(await checkGossipKey.run({ ...context, settings })).toMatchObject({ state: "ok" });
  await chmod(file, 0o644);
  const found = await checkGossipKey.run({ ...context, settings });
  expect(found).toMatchObject({
    state: "warn",
    detail: expect.stringContaining("is open to other users (mode 0644)") as string,
  });
});
