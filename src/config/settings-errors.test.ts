import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { loadSettings, type LoadOptions } from "./load-settings.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

/** What stops the start, given a project file; paths below the folder are shown as `@/…`. */
async function complaint(toml: string, options: Partial<LoadOptions> = {}): Promise<string> {
  return failure(createTempFolder({ "forager.toml": toml }), options);
}

async function failure(folder: string, options: Partial<LoadOptions>): Promise<string> {
  const error: unknown = await loadSettings({
    cwd: folder,
    home: folder,
    env: {},
    ...options,
  }).then(
    () => "nothing was wrong",
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ kind: "invalid", code: "settings_invalid" });
  // What --verbose would print as well.
  expect((error as AppError).cause).toBeUndefined();
  return (error as AppError).message.replaceAll(folder, "@");
}

test.each([
  [
    "[queue]\n\n  leasems = 5",
    "@/forager.toml:3:3: unknown key queue.leasems; the nearest valid key is queue.leaseMs",
  ],
  [
    "leaseMs = 5000",
    "@/forager.toml:1:1: unknown key leaseMs; the nearest valid key is queue.leaseMs",
  ],
  ["[queu]\nurl = 'x'", "@/forager.toml:1:2: unknown key queu; the nearest valid key is queue"],
  [
    "queue = { ulr = 'x' }",
    "@/forager.toml:1:11: unknown key queue.ulr; the nearest valid key is queue.url",
  ],
  [
    "\n'queue.url' = 'dir:x'",
    '@/forager.toml:2:1: unknown key \\"queue.url\\"; the nearest valid key is queue.url',
  ],
  ["constructor = 1", "@/forager.toml:1:1: unknown key constructor; `forager config show`"],
  ["__proto__.data = 1", "@/forager.toml:1:1: unknown key __proto__; `forager config show`"],
  ["log = 'info'", "@/forager.toml:1:1: log must be a table: write [log]"],
  ["[[queue]]\nurl = 'x'", "@/forager.toml:1:3: queue must be a table: write [queue]"],
  [
    "log.level = 'loud'",
    '@/forager.toml:1:1: log.level must be one of debug, info, warn, error, not "loud"',
  ],
  ["data = 5", "@/forager.toml:1:1: data must be the path of a folder, not 5"],
  ["data = ''", "@/forager.toml:1:1: data must be the path of a folder, not empty"],
  ["data = ['a']", "@/forager.toml:1:1: data must be the path of a folder, not a list"],
  ["data = 2026-01-01", "@/forager.toml:1:1: data must be the path of a folder, not a date"],
  ["queue.leaseMs = 0.10", "queue.leaseMs must be a whole number from 1000 to 3600000, not 0.1"],
  [
    "queue.leaseMs = '5000'",
    'queue.leaseMs must be a whole number from 1000 to 3600000, not "5000"',
  ],
  ["queue.leaseMs = 999", "queue.leaseMs must be a whole number from 1000 to 3600000, not 999"],
  ["queue.leaseMs = 3600001", "queue.leaseMs must be a whole number"],
  ["queue.leaseMs = true", "queue.leaseMs must be a whole number"],
  ["queue.leaseMs = nan", "queue.leaseMs must be a whole number"],
  ["queue.leaseMs = inf", "queue.leaseMs must be a whole number"],
  ["data = 'a'\nlog.level = ", "@/forager.toml:2:13: TOML syntax: "],
  ["queue.url = 'mysql://x'", "@/forager.toml:1:1: queue.url must be an address that starts with"],
  ["queue.password = { path = 'x' }", "@/forager.toml:1:1: queue.password must be { file"],
  [
    "queue.password = { env = 'A' }\nqueue.url = 's3://k:s@h/b'",
    "@/forager.toml:2:1: queue.url contains a password and queue.password is set too",
  ],
])("%j stops the start: %s", async (toml, text) => {
  expect(await complaint(toml)).toContain(text);
});

test("no message holds a password, however wrong the line it stands on", async () => {
  const lines = [
    "queue.password = ['hunter2']",
    "queue.password = { key = 'hunter2' }",
    "queue.password = 'hunter2",
    "queue.password = 'hunter2' 'hunter2'",
    "queue.pasword = 'hunter2'",
    "queue.password = 'hunter2'",
    "queue.url = 'postgres://ann:hunter2@host/db'",
    "alert.webhook = 'https://ann:hunter2@host/'",
    "queue.url = 'postgres:ann:hunter2@host'",
    "queue.url = ['postgres://ann:hunter2@host']",
    "queue.url = 'postgres://ann:hunter2/@host'",
    "queue.url = 'postgres://host?password=hunter2'",
  ];
  for (const line of lines) expect(await complaint(line)).not.toContain("hunter2");
});

test.each([
  ["FORAGER_LOG_LEVL", "info", "unknown variable; the nearest valid name is FORAGER_LOG_LEVEL"],
  [
    "FORAGER_LEASE_MS",
    "5000",
    "unknown variable; the nearest valid name is FORAGER_QUEUE_LEASE_MS",
  ],
  ["FORAGER_CONFG", "x", "unknown variable; the nearest valid name is FORAGER_CONFIG"],
  ["FORAGER_LOG_LEVEL", "", "log.level must be one of debug, info, warn, error, not"],
  ["FORAGER_QUEUE_PASSWORD", "", "queue.password must be a string"],
  ["FORAGER_CONFIG", "", "is empty: name a settings file, or leave it out"],
  ["FORAGER_CONFIG", "missing.toml", "there is no file @/missing.toml"],
])("%s=%s stops the start: %s", async (name, value, text) => {
  expect(await complaint("", { env: { [name]: value } })).toContain(`${name}: ${text}`);
});

test("a wrong flag is reported by its name", async () => {
  const level = { flag: "--verbosity", value: "loud" };
  expect(await complaint("", { flags: { "log.level": level } })).toMatch(
    /^--verbosity: log\.level/,
  );
  const config = { flag: "--config", value: "nope.toml" };
  expect(await complaint("", { flags: { config } })).toBe("--config: there is no file @/nope.toml");
});

test("variables of tests and of other programs are not reported", async () => {
  const folder = createTempFolder();
  const env = { FORAGER_TEST_S3_URL: "x", FORAGERS: "x", HOME: "/x" };
  await expect(loadSettings({ cwd: folder, home: folder, env })).resolves.toBeDefined();
});

test("a number from the environment is exactly the number written, or an error", async () => {
  const folder = createTempFolder();
  const load = async (text: string) => {
    const env = { FORAGER_QUEUE_LEASE_MS: text };
    const { settings } = await loadSettings({ cwd: folder, home: folder, env });
    return settings.queue.leaseMs;
  };
  for (const text of [
    "0.10",
    "5000.5",
    "5000.0",
    "5e3",
    "0x1388",
    "5_000",
    " 5000",
    "5000 ",
    "+5000",
    "",
    "NaN",
    "05000",
    "5000ms",
    "٥٠٠٠",
  ]) {
    await expect(load(text), text).rejects.toThrow("must be a whole number from 1000 to 3600000");
  }
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789.-e_ ".split("")), maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(digits, fc.integer().map(String)), async (text) => {
      const isRight = /^[1-9]\d*$/.test(text) && Number(text) >= 1000 && Number(text) <= 3_600_000;
      const leaseMs = await load(text).catch(() => undefined);
      expect(leaseMs).toBe(isRight ? Number(text) : undefined);
    }),
    { numRuns: 300 },
  );
});

test("all problems of all sources come in one error, in order, ten at most", async () => {
  const folder = createTempFolder({
    ".config/forager/config.toml": "log.level = 'loud'\nfirst = 1",
    "forager.toml": "queue.leaseMs = 1\nsecond = 2\ndata = 3",
  });
  const env = { FORAGER_X: "1" };
  const lines = (await failure(folder, { env })).split("\n");
  expect(lines.map((line) => line.trim().replace(/: .*/, ""))).toEqual([
    "6 problems in the settings:",
    "@/.config/forager/config.toml:1:1",
    "@/.config/forager/config.toml:2:1",
    "@/forager.toml:1:1",
    "@/forager.toml:2:1",
    "@/forager.toml:3:1",
    "FORAGER_X",
  ]);
  const many = Array.from({ length: 14 }, (_, index) => `x${index} = 1`).join("\n");
  const shown = (await complaint(many)).split("\n");
  expect(shown).toHaveLength(12);
  expect([shown[0], shown[11]]).toEqual(["14 problems in the settings:", "  and 4 more"]);
});

test("a wrong value is reported even if another source overrides it", async () => {
  const env = { FORAGER_LOG_LEVEL: "info" };
  expect(await complaint("log.level = 'loud'", { env })).toContain("@/forager.toml:1:1");
});

test("a file that cannot be read stops the start, one that is absent does not", async () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, "forager.toml"));
  expect(await failure(folder, {})).toContain("@/forager.toml: cannot be read (EISDIR)");
  const latin = createTempFolder();
  writeFileSync(join(latin, "forager.toml"), Uint8Array.of(0x23, 0xe9));
  expect(await failure(latin, {})).toContain("@/forager.toml: is not UTF-8 text");
  expect(await complaint("#".repeat(1024 * 1024 + 1))).toContain("is longer than 1048576 bytes");
  const home = createTempFolder({ ".config": "a file where a folder should be" });
  await expect(loadSettings({ cwd: home, home, env: {} })).resolves.toBeDefined();
});

test("a long or strange key is shown short and on one line", async () => {
  const message = await complaint(`"a\\nb\\u001b${"x".repeat(10_000)}" = 1`);
  expect(message.length).toBeLessThan(200);
  expect(message).toContain("unknown key a\\nb\\u001bxxx");
  expect(["\n", "\u001b"].filter((control) => message.includes(control))).toEqual([]);
});
