import { expect, test } from "vitest";
import { createTempFolder } from "../../config/testing/temp-folder.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import { preflight } from "./preflight.ts";
import { privateHostsFinding } from "./private-hosts.ts";

const look = async (
  env: Readonly<Record<string, string>>,
  campaigns?: Parameters<typeof preflight>[0]["campaigns"],
  more: Partial<Parameters<typeof preflight>[0]> = {},
) => {
  const folder = createTempFolder({});
  const loaded = await loadSettings({ cwd: folder, home: folder, env });
  const found = await preflight({
    loaded,
    paths: createPaths(`${folder}/data`),
    campaigns,
    ...more,
  });
  return found.map(({ check, state }) => `${check} ${state}`);
};
const campaign = (name: string, contact?: string) => ({
  name,
  politeness: { delayMs: undefined, concurrency: 1, contact },
});

test("visits need a contact, from the settings or from every campaign that has some", async () => {
  expect(await look({})).toEqual(["contact fail"]);
  expect(await look({ FORAGER_CRAWL_CONTACT: "me@example.org" })).toEqual([]);
  expect(await look({}, [])).toEqual([]);
  expect(await look({}, [campaign("a", "me@example.org")])).toEqual([]);
  expect(await look({}, [campaign("a", "me@example.org"), campaign("b")])).toEqual([
    "contact fail",
  ]);
});

test("a bucket with a queue that no other node sees is a warning", async () => {
  const contact = { FORAGER_CRAWL_CONTACT: "me@example.org", FORAGER_BUCKET_URL: "dir:b" };
  expect(await look(contact)).toEqual([]);
  expect(await look({ ...contact, FORAGER_QUEUE_URL: "sqlite:queue.db" })).toEqual(["queue warn"]);
});

const ready = { FORAGER_CRAWL_CONTACT: "me@example.org" };

test("hosts with private addresses are a warning, unless their network is allowed", async () => {
  const addresses = new Map([
    ["public.test", "93.184.216.34"],
    ["intern.test", "10.1.2.3"],
  ]);
  const hosts = ["public.test", "intern.test", "unknown.test", "127.0.0.1"];
  const resolve = async (host: string) => {
    const found = addresses.get(host);
    if (found === undefined) throw new Error("ENOTFOUND");
    return [found];
  };
  expect(await look(ready, [], { hosts, resolve })).toEqual(["private address warn"]);
  expect(await look(ready, [], { hosts: ["public.test", "unknown.test"], resolve })).toEqual([]);
  const allowed = { ...ready, FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "10.0.0.0/8,127.0.0.1" };
  expect(await look(allowed, [], { hosts, resolve })).toEqual([]);
});

test("the command that allows private hosts names every network, and keeps those that are allowed", async () => {
  const env = { ...ready, FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "192.168.7.0/24" };
  const hosts = ["10.1.2.3", "10.1.2.9", "127.0.0.1", "192.168.7.1", "[fd00::1]"];
  const folder = createTempFolder({});
  const loaded = await loadSettings({ cwd: folder, home: folder, env });
  const found = await privateHostsFinding(loaded, hosts);
  expect(found?.advice).toBe(
    "to allow them: `forager config set crawl.allowPrivateNetworks 192.168.7.0/24,10.1.2.0/24,127.0.0.1,fd00::1`",
  );
});

test("a clock without a battery, and a browser that is needed and missing, stop the work", async () => {
  expect(await look(ready, [], { nowMs: 0 })).toEqual(["clock fail"]);
  const browser = { FORAGER_CRAWL_BROWSER: "always", FORAGER_CRAWL_BROWSER_PATH: "/no/browser" };
  expect(await look({ ...ready, ...browser })).toEqual(["browser fail"]);
});

test("a campaign that overrides a setting says so; one that repeats it or a default does not", async () => {
  const own = (delayMs: number) => [
    { name: "a", politeness: { delayMs, concurrency: 1, contact: undefined } },
  ];
  const env = { ...ready, FORAGER_CRAWL_DELAY_MS: "100" };
  expect(await look(env, own(1_000))).toEqual(["override note"]);
  expect(await look(env, own(100))).toEqual([]);
  expect(await look(ready, own(5_000))).toEqual([]);
});
