import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { AppError } from "../base/app-error.ts";
import { describeSettings, loadSettings, type LoadOptions } from "./load-settings.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

/** A machine with these files, the work folder `work/deep` and the home folder `home`. */
function machine(files: Readonly<Record<string, string>> = {}) {
  const folder = createTempFolder(files);
  mkdirSync(join(folder, "work/deep"), { recursive: true });
  const at = (...path: string[]) => join(folder, ...path);
  const load = (options: Partial<LoadOptions> = {}) =>
    loadSettings({ cwd: at("work/deep"), home: at("home"), env: {}, ...options });
  return { at, load };
}

const sourceOf = (loaded: Awaited<ReturnType<typeof loadSettings>>, key: string) =>
  loaded.values.find((value) => value.key === key)?.source;

test("with no source at all every setting has its default", async () => {
  const { at, load } = machine();
  const loaded = await load();
  expect(loaded.settings).toEqual({
    data: at("home/.local/share/forager"),
    node: {},
    log: { level: "info" },
    output: { pager: "auto" },
    queue: {
      url: "sqlite:queue.db",
      durability: "full",
      leaseMs: 60_000,
      keepDoneDays: 7,
      keepFailedDays: 30,
      keepKeysDays: 90,
      postgres: {
        poolMax: 70,
        poolIdleMax: 20,
        statementMs: 60_000,
        lockMs: 20_000,
        lazy: "",
        prepare: "auto",
      },
    },
    bucket: {},
    gossip: { on: "yes", cluster: "forager", port: 9_999, mdns: "yes" },
    ledger: { hub: "auto", archive: "keep" },
    crawl: {
      delayMs: 1_000,
      pages: 8,
      bytes: 20_000_000,
      seconds: 600,
      deobfuscate: "simple",
      ttlDays: 90,
      allowPrivateNetworks: "",
      browser: "auto",
      keepHtmlBytes: 0,
    },
    work: {
      pools: "*=1x10",
      graceMs: 25_000,
      watchdogMs: 30_000,
      interruption: "off",
      metadataUrl: "http://169.254.169.254",
      listenNames: "",
    },
    roles: {},
    serve: {
      listen: "127.0.0.1:4870",
      names: "",
      proxies: "",
      sessionIdleMinutes: 720,
      sessionHours: 168,
    },
    oidc: { scopes: "openid profile email", groupsClaim: "groups", roles: "" },
    mail: { ttlDays: 30 },
    retention: { personalEmailDays: 0, peopleDays: 0 },
    legal: {},
    publish: {},
    places: { keepReleases: 3 },
    fleet: { hosts: "" },
    deploy: { folder: "/opt/forager", restartCommand: "systemctl restart forager.service" },
    audit: { keepDays: 365 },
    webhook: { allowPrivateNetworks: "" },
    alert: { stallMs: 900_000, scope: "fleet" },
  });
  expect(new Set(loaded.values.map(({ source }) => source))).toEqual(new Set(["default"]));
  expect(describeSettings(loaded)).toContainEqual({
    key: "queue.password",
    value: "(not set)",
    source: "default",
  });
});

test("each source wins over those before it, and is named", async () => {
  const { at, load } = machine({
    "home/.config/forager/config.toml": "queue.leaseMs = 2000\nlog.level = 'warn'",
    "work/forager.toml": "[queue]\n# comment\nleaseMs = 3000\n",
  });
  const env = { FORAGER_QUEUE_LEASE_MS: "4000", PATH: "/bin" };
  const flags = { "queue.leaseMs": { flag: "--lease", value: "5000" } };
  const loads = [await load(), await load({ env }), await load({ env, flags })];
  expect(loads.map(({ settings }) => settings.queue.leaseMs)).toEqual([3000, 4000, 5000]);
  expect(loads.map((loaded) => sourceOf(loaded, "queue.leaseMs"))).toEqual([
    at("work/forager.toml:3"),
    "FORAGER_QUEUE_LEASE_MS",
    "--lease",
  ]);
  expect(sourceOf(loads[0]!, "log.level")).toBe(at("home/.config/forager/config.toml:2"));
  expect(loads[2]!.settings.log.level).toBe("warn");
});

test("a list is written as a list or with commas, alike in files, variables and flags", async () => {
  const key = "crawl.allowPrivateNetworks";
  for (const written of [
    '["10.0.0.1", "10.1.0.0/16"]',
    "10.0.0.1,10.1.0.0/16",
    "10.0.0.1, 10.1.0.0/16",
  ]) {
    const inFile = written.startsWith("[") ? written : JSON.stringify(written);
    const file = machine({ "work/forager.toml": `crawl.allowPrivateNetworks = ${inFile}\n` });
    const { load } = machine({});
    const loads = [
      await file.load(),
      await load({ env: { FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: written } }),
      await load({ flags: { [key]: { flag: "--allow", value: written } } }),
    ];
    const found = loads.map(({ settings }) => settings.crawl.allowPrivateNetworks);
    expect(found).toEqual(Array.from({ length: 3 }, () => "10.0.0.1,10.1.0.0/16"));
  }
  const { load } = machine({});
  for (const wrong of ['["10.0.0.1"', '["10.0.0.1,10.0.0.2"]', "[1]"]) {
    const env = { FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: wrong };
    await expect(load({ env })).rejects.toThrow("must be addresses or networks");
  }
});

test("the key of the version before works, with a warning that names the new one", async () => {
  const { at, load } = machine({ "work/forager.toml": "[crawl]\nallowAddresses = '10.0.0.1'\n" });
  const fromFile = await load();
  expect(fromFile.settings.crawl.allowPrivateNetworks).toBe("10.0.0.1");
  expect(fromFile.warnings).toEqual([
    `${at("work/forager.toml")}:2:1: crawl.allowAddresses is now called crawl.allowPrivateNetworks: rename it`,
  ]);
  const fromEnv = await load({ env: { FORAGER_CRAWL_ALLOW_ADDRESSES: "10.0.0.2" } });
  expect(fromEnv.settings.crawl.allowPrivateNetworks).toBe("10.0.0.2");
  expect(fromEnv.warnings).toContain(
    "FORAGER_CRAWL_ALLOW_ADDRESSES: FORAGER_CRAWL_ALLOW_ADDRESSES is now called FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: rename it",
  );
});

test("the earlier and the present key of one setting in one file are refused", async () => {
  const both = "[crawl]\nallowAddresses = '10.0.0.1'\nallowPrivateNetworks = '10.0.0.2'\n";
  const { load } = machine({ "work/forager.toml": both });
  await expect(load()).rejects.toThrow(
    "crawl.allowAddresses is the earlier name of crawl.allowPrivateNetworks: keep one",
  );
});

test("the project file is the nearest one, here or in a parent", async () => {
  const { load, at } = machine({
    "forager.toml": "log.level = 'error'\nqueue.keepDoneDays = 1",
    "work/deep/forager.toml": "log.level = 'debug'",
  });
  const near = await load();
  expect([near.settings.log.level, near.settings.queue.keepDoneDays]).toEqual(["debug", 7]);
  expect((await load({ cwd: at("work") })).settings.log.level).toBe("error");
});

test("--config, then FORAGER_CONFIG, name the project file instead", async () => {
  const { load } = machine({
    "work/forager.toml": "log.level = 'error'\nqueue.keepDoneDays = 1",
    "work/a.toml": "log.level = 'warn'",
    "work/deep/b.toml": "log.level = 'debug'",
  });
  const env = { FORAGER_CONFIG: "../a.toml" };
  const flags = { config: { flag: "--config", value: "b.toml" } };
  expect((await load({ env })).settings.log.level).toBe("warn");
  const { settings } = await load({ env, flags });
  expect([settings.log.level, settings.queue.keepDoneDays]).toEqual(["debug", 7]);
});

test("XDG folders are used if absolute, else ignored as their specification asks", async () => {
  const { load, at } = machine({ "cfg/forager/config.toml": "log.level = 'warn'" });
  const env = { XDG_CONFIG_HOME: at("cfg"), XDG_DATA_HOME: at("share") };
  const { settings } = await load({ env });
  expect([settings.data, settings.log.level]).toEqual([at("share/forager"), "warn"]);
  const ignored = await load({ env: { XDG_CONFIG_HOME: "cfg", XDG_DATA_HOME: "" } });
  expect(ignored.settings.data).toBe(at("home/.local/share/forager"));
});

test("a data folder is relative to its file, or to cwd from environment and flags", async () => {
  const { load, at } = machine({ "work/forager.toml": "data = 'here/data'" });
  const env = { FORAGER_DATA: "there" };
  expect((await load()).settings.data).toBe(at("work/here/data"));
  expect((await load({ env })).settings.data).toBe(at("work/deep/there"));
  const flags = { data: { flag: "--data", value: "../up" } };
  expect((await load({ env, flags })).settings.data).toBe(at("work/up"));
  expect((await load({ env: { FORAGER_DATA: "~/mine" } })).settings.data).toBe(at("home/mine"));
});

test("settings and values are frozen in depth", async () => {
  const { settings, values } = await machine().load({ env: { FORAGER_QUEUE_PASSWORD: "x" } });
  for (const part of [settings, settings.log, settings.queue, settings.queue.password]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  expect(Object.isFrozen(values) && values.every((value) => Object.isFrozen(value))).toBe(true);
});

const shownAnywhere = (loaded: object) =>
  JSON.stringify(loaded) + inspect(loaded, { depth: 9, showHidden: true });

test.each(["{ file = 'pin' }", "{ command = 'cat pin' }", "{ credential = 'pin' }"])(
  "a password from %s is revealed and never shown",
  async (written) => {
    const files = { "work/forager.toml": `queue.password = ${written}`, "work/pin": "hunter2\n" };
    const { load, at } = machine(files);
    const env = { PATH: "/usr/bin:/bin", CREDENTIALS_DIRECTORY: at("work") };
    const loaded = await load({ env });
    expect(await loaded.settings.queue.password?.reveal()).toBe("hunter2");
    expect(shownAnywhere(loaded)).not.toContain("hunter2");
    expect(describeSettings(loaded)).toContainEqual({
      key: "queue.password",
      value: "***",
      source: at("work/forager.toml:1"),
    });
  },
);

test.each([
  ["https://hooks.example/services/T0/hunter2", "https://hooks.example/***"],
  ["http://ann:hunter2@h.example:81?token=hunter2", "http://h.example:81/***"],
  ["https://h.example", "https://h.example"],
])("of the webhook %s only the host is shown", async (url, shown) => {
  const loaded = await machine().load({ env: { FORAGER_ALERT_WEBHOOK: url } });
  expect(await loaded.settings.alert.webhook?.reveal()).toBe(url);
  expect(shownAnywhere(loaded)).not.toContain("hunter2");
  expect(describeSettings(loaded)).toContainEqual(
    expect.objectContaining({ key: "alert.webhook", value: shown }),
  );
});

test.each(['"ftp://ann:hunter2@h/"', '"hunter2"', "5", '"http://ann:hunter2@:x"'])(
  "the webhook %s is refused without being repeated",
  async (written) => {
    const { load } = machine({ "work/forager.toml": `alert.webhook = ${written}` });
    const error = await load().catch((caught: unknown) => caught);
    expect(String(error)).toContain("alert.webhook must be an http:// or https:// URL");
    expect(String(error)).not.toContain("hunter2");
  },
);

test("loading runs no secret's command", async () => {
  const { load, at } = machine({
    "work/forager.toml": "queue.password = { command = 'touch ran; echo x' }",
  });
  const { settings } = await load({ env: { PATH: "/usr/bin:/bin" } });
  expect(existsSync(at("work/ran"))).toBe(false);
  await settings.queue.password?.reveal();
  expect(existsSync(at("work/ran"))).toBe(true);
});

const urlWithPassword = "postgres://ann:hunter2@host/db";

test("a password inside an address becomes the password setting, and is never shown", async () => {
  const loaded = await machine().load({ env: { FORAGER_QUEUE_URL: urlWithPassword } });
  expect(loaded.settings.queue.url).toBe("postgres://ann@host/db");
  expect(await loaded.settings.queue.password?.reveal()).toBe("hunter2");
  expect(shownAnywhere(loaded)).not.toContain("hunter2");
  expect(describeSettings(loaded).filter(({ source }) => source === "FORAGER_QUEUE_URL")).toEqual([
    { key: "queue.url", value: "postgres://***@host/db", source: "FORAGER_QUEUE_URL" },
    { key: "queue.password", value: "***", source: "FORAGER_QUEUE_URL" },
  ]);
});

test.each([
  ["dir:shared", "dir:shared"],
  ["s3://fleet/a?region=eu-west-1", "s3://fleet/a?region=eu-west-1"],
  [
    "postgres://ann@host/db?sslmode=require&table=objects",
    "postgres://ann@host/db?sslmode=require",
  ],
])("without queue.url the queue is on the bucket %s", async (bucket, queue) => {
  const { load } = machine({ "work/forager.toml": `bucket.url = "${bucket}"` });
  const loaded = await load();
  expect(loaded.settings.queue.url).toBe(queue);
  expect(sourceOf(loaded, "queue.url")).toBe("bucket.url");
  const chosen = await load({ env: { FORAGER_QUEUE_URL: "sqlite:queue.db" } });
  expect(chosen.settings.queue.url).toBe("sqlite:queue.db");
});

test("without bucket.url the database of the queue is the bucket too, with its password", async () => {
  const { load } = machine();
  const loaded = await load({ env: { FORAGER_QUEUE_URL: `${urlWithPassword}?schema=mine` } });
  expect(loaded.settings.bucket.url).toBe("postgres://ann@host/db");
  expect(await loaded.settings.bucket.password?.reveal()).toBe("hunter2");
  expect(sourceOf(loaded, "bucket.url")).toBe("queue.url");
  expect(shownAnywhere(loaded)).not.toContain("hunter2");
  const both = { FORAGER_QUEUE_URL: urlWithPassword, FORAGER_BUCKET_URL: "dir:b" };
  const { settings } = await load({ env: both });
  expect([settings.bucket.url, settings.bucket.password]).toEqual(["dir:b", undefined]);
  expect((await load({ env: { FORAGER_QUEUE_URL: "dir:q" } })).settings.bucket.url).toBeUndefined();
});

test("a secret in plain text in a settings file is refused: where it is and what to write instead", async () => {
  const { load, at } = machine({
    "home/.config/forager/config.toml": "[gossip]\nkeys = 'hunter2'\n",
    "work/forager.toml":
      `queue.url = '${urlWithPassword}'\nbucket.password = { env = 'PIN' }\n` +
      "alert.webhook = 'https://h/hooks/hunter2'\nalert.secret = { command = 'cat x' }\n" +
      "alert.slack = 'https://hooks.slack.com/services/hunter2'\nalert.ntfy = 'https://ntfy.sh/hunter2'\n",
  });
  const refused = await load({ env: { PIN: "1234" } }).catch((error: unknown) => error);
  const forms = '{ file = "PATH" }, { env = "NAME" }, { command = "…" } or { credential = "NAME" }';
  const { message, kind } = refused as AppError;
  expect(kind).toBe("invalid");
  for (const line of [
    `${at("home/.config/forager/config.toml")}:2:1: gossip.keys contains a secret in plain text: write gossip.keys = ${forms}`,
    `${at("work/forager.toml")}:1:1: queue.url contains a password in plain text: remove it and set queue.password = ${forms}`,
    `${at("work/forager.toml")}:3:1: alert.webhook contains a secret in plain text: write alert.webhook = ${forms}`,
    `${at("work/forager.toml")}:5:1: alert.slack contains a secret in plain text: write alert.slack = ${forms}`,
    `${at("work/forager.toml")}:6:1: alert.ntfy contains a secret in plain text: write alert.ntfy = ${forms}`,
  ])
    expect(message).toContain(line);
  expect(message).not.toContain("hunter2");
});

test("a variable may hold the secret itself", async () => {
  const { load } = machine();
  const env = { FORAGER_QUEUE_PASSWORD: "hunter2", FORAGER_QUEUE_URL: "postgres://ann@host/db" };
  const { settings, warnings } = await load({ env });
  expect(await settings.queue.password?.reveal()).toBe("hunter2");
  expect(warnings).toEqual([]);
});

test("a file with a secret that others can read is taken, with a warning", async () => {
  const { load, at } = machine({
    "work/forager.toml": "gossip.keys = { file = 'key' }\nqueue.password = { file = 'absent' }\n",
    "work/key": "k",
  });
  const warningsAt = async (mode: number) => {
    chmodSync(at("work/key"), mode);
    return (await load()).warnings;
  };
  expect(await warningsAt(0o600)).toEqual([]);
  expect(await warningsAt(0o400)).toEqual([]);
  const start = `${at("work/forager.toml")}:1:1: gossip.keys: ${at("work/key")} is open to`;
  const end = `: run chmod 600 ${at("work/key")}`;
  expect(await warningsAt(0o644)).toEqual([`${start} other users (mode 0644)${end}`]);
  expect(await warningsAt(0o640)).toEqual([`${start} its group (mode 0640)${end}`]);
  expect(await warningsAt(0o602)).toEqual([`${start} other users (mode 0602)${end}`]);
});

test("a password belongs to its address: another address does not inherit it", async () => {
  const { load } = machine();
  const inVariable = { FORAGER_QUEUE_URL: urlWithPassword };
  const flags = { "queue.url": { flag: "--queue", value: "postgres://bob@other/db" } };
  const replaced = await load({ env: inVariable, flags });
  expect(replaced.settings.queue.password).toBeUndefined();
  const both = await load({ env: { FORAGER_QUEUE_PASSWORD: "newer" }, flags });
  expect(await both.settings.queue.password?.reveal()).toBe("newer");
});

test("one setting keeps environments apart: data, queue and bucket", async () => {
  const { load, at } = machine({ "work/forager.toml": "data = 'd'\nenvironment = 'prod'" });
  const places = async (bucket: string, queue?: string) => {
    const env = {
      FORAGER_ENVIRONMENT: "test",
      FORAGER_BUCKET_URL: bucket,
      ...(queue !== undefined && { FORAGER_QUEUE_URL: queue }),
    };
    const { settings } = await load({ env });
    return [settings.data, settings.bucket.url, settings.queue.url];
  };
  const data = at("work/d/environments/test");
  expect((await load()).settings.data).toBe(at("work/d/environments/prod"));
  const s3 = "s3://b/p/environments/test?region=x";
  expect(await places("s3://b/p?region=x")).toEqual([data, s3, s3]);
  const folder = "dir:/srv/b/environments/test";
  expect(await places("dir:/srv/b")).toEqual([data, folder, folder]);
  // What is relative is in the data folder, and apart by that.
  expect(await places("dir:b", "sqlite:q.db")).toEqual([data, "dir:b", "sqlite:q.db"]);
  expect(await places("dir:b", "sqlite:/srv/q.db")).toContain("sqlite:/srv/q-test.db");
  expect(await places("postgres://h/d", "postgres://h/d?schema=mine")).toEqual([
    data,
    "postgres://h/d?table=forager_bucket_test",
    "postgres://h/d?schema=mine_test",
  ]);
});
