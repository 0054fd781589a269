// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
import { targetOfKey } from "../../src/records/testing/company-targets.ts";

const pages: Readonly<Record<string, string>> = {
  "/": "<p>We lay floors.</p><footer><a href='/contact'>Contact</a></footer>",
  "/contact":
    "<p>Write to <a href='mailto:info@oak-floors.com'>us</a>, or call +1 512 555 0100.</p>",
};

const shell = "<div id='root'></div><script src='/app.js'></script>";

/** A website on a loopback address of its own. */
async function startSite(
  host: string,
  { isOpen = true, isHeld = (): boolean => false, port: wanted = 0, needsScripts = false } = {},
) {
  const requests: string[] = [];
  let contactAtMs = 0;
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    if (isHeld()) return; // it never answers
    if (url === "/contact") contactAtMs = Date.now();
    const rules = isOpen ? "" : "User-agent: *\nDisallow: /\n";
    const page = needsScripts && url === "/" ? shell : pages[url];
    const body = url === "/robots.txt" ? rules : page;
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" }).end(body);
  });
  server.listen(wanted, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/`, requests, contactAtMs: () => contactAtMs };
}

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const sites = [
    await startSite("127.0.2.1"),
    await startSite("127.0.2.2"),
    await startSite("127.0.2.3", { isOpen: false }),
    await startSite("127.0.2.4", { needsScripts: true }),
  ];
  const at = (name: string) => join(sandbox.folder, name);
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.2.0/24",
    FORAGER_CRAWL_DELAY_MS: "50",
    FORAGER_CRAWL_BROWSER: "off",
  };
  const run = (...words: string[]) => sandbox.forager(["enrich", ...words, "--data", "d"], { env });
  return { sandbox, sites, at, run };
}

test("two commands on one's own list: rows come back as they are, with contacts and reasons", async () => {
  const { sandbox, sites, at, run } = await setUp();
  const rows = [
    "name;website;owner",
    `Oak Floors;${sites[0]!.url};"Ann; sales"`,
    `Pine Floors;${sites[1]!.url};=1+1`,
    `No Robots;${sites[2]!.url};Bob`,
    "No Website;;Cid",
    `Shell;${sites[3]!.url};Dee`,
    ";;",
    "",
  ];
  writeFileSync(at("leads.csv"), rows.join("\r\n"));
  const words = ["leads.csv", "-o", "out.csv", "--contact", "you@forager-tests.org"];

  const startedAtMs = Date.now();
  const first = await run(...words);
  expect(first.exitCode, first.stderr).toBe(0);
  expect(first.stdout).toContain("5 rows, 2 read, 2 with an e-mail address, 2 with a phone number");
  const needs = "1 needs_scripts: install Chromium, see crawl.browser";
  expect(first.stdout).toMatch(new RegExp(`^not read: 1 robots, 1 no_website, ${needs}$`, "m"));
  // The promise is for a machine with nothing else to do.
  const firstContactMs = sites[0]!.contactAtMs() - startedAtMs;
  expect(firstContactMs).toBeGreaterThan(0);
  expect(firstContactMs).toBeLessThan(allowingForLoad(10_000));
  expect(readFileSync(at("out.csv"), "utf8").split("\r\n")).toEqual([
    "name,website,owner,forager_company,forager_emails,forager_phones,forager_profiles,forager_visit,forager_reason",
    `Oak Floors,${sites[0]!.url},Ann; sales,oak-floors,info@oak-floors.com,+15125550100,,done,`,
    `Pine Floors,${sites[1]!.url},=1+1,pine-floors,info@oak-floors.com,+15125550100,,done,`,
    `No Robots,${sites[2]!.url},Bob,no-robots,,,,robots,robots`,
    "No Website,,Cid,no-website,,,,,no_website",
    `Shell,${sites[3]!.url},Dee,shell,,,,done,needs_scripts`,
    "",
  ]);
  expect(statSync(at("out.csv")).mode & 0o777).toBe(0o600);

  // Another job, which its first visits have paused, has no say in how this one went.
  const other = await sandbox.forager("queue add nokind --job other --data d".split(" "));
  expect(other.exitCode, other.stderr).toBe(0);
  const paused = await sandbox.forager("queue pause other --data d".split(" "));
  expect(paused.exitCode, paused.stderr).toBe(0);
  mkdirSync(at("d/work"), { recursive: true });
  writeFileSync(at("d/work/paused-jobs.json"), '[{"job":"other","reason":"dns","atMs":1}]\n');

  // Again: what was read is not visited twice, and the result is the same.
  const readable = sites.slice(0, 3);
  const before = readable.map(({ requests }) => requests.length);
  const second = await run(...words);
  expect(second.exitCode, second.stderr).toBe(0);
  expect(second.stdout).toBe(first.stdout);
  expect(readable.map(({ requests }) => requests.length)).toEqual(before);
});

test("what cannot work is refused before anything is imported", async () => {
  const { sandbox, at, run } = await setUp();
  writeFileSync(at("leads.csv"), "name,website\nOak,http://127.0.2.1/\n");
  writeFileSync(at("odd.csv"), "colour\nred\n");
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [["leads.csv"], /crawl\.contact is not set: .*--contact/],
    [["absent.csv", "--contact", "a@b.org"], /absent\.csv cannot be read/],
    [["leads.csv", "-o", "leads.csv", "--contact", "a@b.org"], /would replace the file itself/],
    [["leads.json", "--contact", "a@b.org"], /is not a CSV file/],
  ];
  for (const [words, message] of cases) {
    const { exitCode, stderr } = await run(...words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  }
  expect(existsSync(join(sandbox.folder, "d"))).toBe(false);
  const odd = await run("odd.csv", "--contact", "a@b.org");
  expect(odd.exitCode, odd.stderr).toBe(2);
  expect(odd.stderr).toMatch(/odd\.csv has no companies/);
});

test("a file in another encoding, and phone numbers without their country", async () => {
  const { at, run } = await setUp();
  writeFileSync(at("de.csv"), Buffer.from("name,phone\nM\xfcller,030 1234567\n", "latin1"));
  const wrong = await run("de.csv", "--contact", "me@example.org");
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain("such as --encoding windows-1252");
  const words = ["--contact", "me@example.org", "--encoding", "windows-1252", "--country", "DE"];
  const right = await run("de.csv", ...words);
  // There is no website, so none was read.
  expect(right.exitCode, right.stderr).toBe(3);
  const [, row] = readFileSync(at("de-enriched.csv"), "utf8").split("\r\n");
  expect(row).toMatch(/^Müller,030 1234567,\S+,,\+49301234567,,,no_website$/);
  expect((await run("de.csv", "--contact", "me@example.org", "-o", "none/out.csv")).exitCode).toBe(
    2,
  );
});

test("Ctrl-C writes what is known, and the same command continues", async () => {
  const { sites, at, run, sandbox } = await setUp();
  const rows = sites.slice(0, 2).map(({ url }, index) => `Floors ${index},${url}`);
  writeFileSync(at("leads.csv"), ["name,website", ...rows, ""].join("\n"));
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.2.0/24",
    FORAGER_CRAWL_DELAY_MS: "3000",
  };
  const words = ["enrich", "leads.csv", "--contact", "you@forager-tests.org", "--data", "d"];
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  const running = sandbox.forager(words, { env, onStart: (kill) => (stop = kill) });
  await expect.poll(() => sites[0]!.requests.length).toBeGreaterThan(0);
  stop!("SIGINT");
  const stopped = await running;
  expect(stopped.exitCode, stopped.stderr).toBe(130);
  expect(stopped.stderr).toContain("run the same command again to continue");
  expect(readFileSync(at("leads-enriched.csv"), "utf8")).toContain("waiting");

  const done = await run("leads.csv", "--contact", "you@forager-tests.org");
  expect(done.exitCode, done.stderr).toBe(0);
  expect(done.stdout).toContain("2 rows, 2 read");
});

test("killed with -9 in the middle, the same command continues: no row is lost, none is read twice", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  let isHeld = true;
  const quick = await Promise.all([1, 2, 3].map((at) => startSite(`127.0.3.${at}`)));
  const slow = await Promise.all(
    [4, 5, 6].map((at) => startSite(`127.0.3.${at}`, { isHeld: () => isHeld })),
  );
  const rows = [...quick, ...slow].map(({ url }, index) => `Floors ${index},${url}`);
  writeFileSync(join(sandbox.folder, "leads.csv"), ["name,website", ...rows, ""].join("\n"));
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.3.0/24",
    FORAGER_CRAWL_DELAY_MS: "50",
    FORAGER_QUEUE_LEASE_MS: "3000",
  };
  const run = (line: string, options = {}) =>
    sandbox.forager([...line.split(" "), "--data", "d"], { env, ...options });
  const enrich = "enrich leads.csv --contact you@forager-tests.org";
  const countDone = async () => {
    const { stdout } = await run("enrich --report leads --json");
    return stdout === "" ? 0 : ((JSON.parse(stdout) as Report).outcomes["done"] ?? 0);
  };

  let kill: ((signal: NodeJS.Signals) => void) | undefined;
  const running = run(enrich, { onStart: (end: typeof kill) => (kill = end) });
  await expect.poll(countDone, { interval: 200 }).toBe(quick.length);
  kill!("SIGKILL");
  expect((await running).exitCode).toBeNull();
  expect(existsSync(join(sandbox.folder, "leads-enriched.csv"))).toBe(false);
  const before = quick.map(({ requests }) => requests.length);
  isHeld = false;

  const done = await run(enrich);
  expect(done.exitCode, done.stderr).toBe(0);
  expect(done.stdout).toContain("6 rows, 6 read, 6 with an e-mail address");
  expect(quick.map(({ requests }) => requests.length)).toEqual(before);
  const written = readFileSync(join(sandbox.folder, "leads-enriched.csv"), "utf8");
  expect(written.match(/info@oak-floors\.com/g)).toHaveLength(6);
});

test("killed with -9 again and again, while it starts, imports, adds and visits, the same command ends with every row", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const sites = await Promise.all([1, 2, 3, 4].map((at) => startSite(`127.0.5.${at}`)));
  const rows = sites.map(({ url }, index) => `Floors ${index},${url}`);
  writeFileSync(join(sandbox.folder, "leads.csv"), ["name,website", ...rows, ""].join("\n"));
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.5.0/24",
    FORAGER_CRAWL_DELAY_MS: "50",
    FORAGER_QUEUE_LEASE_MS: "3000",
  };
  const run = (options = {}) =>
    sandbox.forager("enrich leads.csv --contact you@forager-tests.org --data d".split(" "), {
      env,
      ...options,
    });
  const has = (...names: string[]) => existsSync(join(sandbox.folder, "d", ...names));
  const moments: readonly (() => boolean)[] = [
    () => has(),
    () => has("ledger", "node.json"),
    () => has("companies", "floors-0"),
    () => has("queue.db"),
    () => sites.some(({ requests }) => requests.length > 0),
  ];
  for (const isReached of moments) {
    let kill: ((signal: NodeJS.Signals) => void) | undefined;
    const running = run({ onStart: (end: typeof kill) => (kill = end) });
    await expect.poll(isReached, { interval: 5 }).toBe(true);
    kill!("SIGKILL");
    await running;
  }
  const done = await run();
  expect(done.exitCode, done.stderr).toBe(0);
  expect(done.stdout).toContain("4 rows, 4 read, 4 with an e-mail address");
  const written = readFileSync(join(sandbox.folder, "leads-enriched.csv"), "utf8");
  expect(written.match(/info@oak-floors\.com/g)).toHaveLength(4);
});

interface Report {
  readonly outcomes: Readonly<Record<string, number>>;
}

test("websites whose private address was refused are visited once the setting allows it, by the same command", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const site = await startSite("127.0.4.1");
  writeFileSync(join(sandbox.folder, "leads.csv"), `name,website\nFloors,${site.url}\n`);
  const words = "enrich leads.csv --contact you@forager-tests.org --data d".split(" ");
  const refused = await sandbox.forager(words);
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(refused.stdout).toContain("not read: 1 private_address");
  const resumed = await sandbox.forager("queue resume leads --data d".split(" "));
  expect(resumed.stdout).toContain("1 website that could not be read is visited again");
  const waits = await sandbox.forager("status --data d".split(" "));
  expect(waits.stdout).toContain(
    "(1 private_address: see crawl.allowPrivateNetworks); 1 task left",
  );
  const env = { FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.4.1", FORAGER_CRAWL_DELAY_MS: "50" };
  const done = await sandbox.forager(words, { env });
  expect(done.exitCode, done.stderr).toBe(0);
  expect(done.stdout).toContain("1 row, 1 read, 1 with an e-mail address");
  // The visit that was put back is not added once more.
  expect(done.stderr).toMatch(/websites \[#+\] 1\/1 100%/);
  const status = await sandbox.forager("status --data d".split(" "));
  expect(status.stdout).toContain("nothing needs attention");
});

test("a host alone is read over http, a website that was down is visited again, and a new batch counts its own rows", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  let isHeld = false;
  const site = await startSite("127.0.4.2", { isHeld: () => isHeld });
  const { port } = new URL(site.url);
  const rows = [`Bare,127.0.4.2:${port}`, `Down,http://127.0.4.3:${port}/`];
  writeFileSync(join(sandbox.folder, "leads.csv"), ["name,website", ...rows, ""].join("\n"));
  const words = "enrich leads.csv --contact you@forager-tests.org --data d".split(" ");
  const allowed = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.4.0/24",
    FORAGER_CRAWL_DELAY_MS: "50",
  };
  const warned = await sandbox.forager([...words, "--batch", "refused"], {
    env: { FORAGER_CRAWL_DELAY_MS: "50" },
  });
  expect(warned.stderr.split("have a private address")).toHaveLength(2); // once
  const first = await sandbox.forager(words, { env: allowed });
  // Some websites are always down: that is an answer, not a failure of the command.
  expect(first.exitCode, first.stderr).toBe(0);
  expect(first.stdout).toContain("2 rows, 1 read, 1 with an e-mail address");
  expect(first.stdout).toContain("not read: 1 refused");

  const asked = site.requests.length;
  const late = await startSite("127.0.4.3", { port: Number(port), isHeld: () => isHeld });
  const second = await sandbox.forager(words, { env: allowed });
  expect(second.stdout, second.stderr).toContain("2 rows, 2 read");
  expect(late.requests.length).toBeGreaterThan(0);
  expect(site.requests.length).toBe(asked);

  // Of a new batch all rows wait, though an earlier batch has read them.
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  isHeld = true;
  const before = site.requests.length + late.requests.length;
  const again = [...words, "--batch", "again"];
  const running = sandbox.forager(again, { env: allowed, onStart: (kill) => (stop = kill) });
  await expect.poll(() => site.requests.length + late.requests.length).toBeGreaterThan(before);
  stop!("SIGINT");
  const stopped = await running;
  expect(stopped.exitCode, stopped.stderr).toBe(130);
  expect(stopped.stderr).toContain("stopped, 2 rows not visited");
});

test("--outdated chooses what an older version of the extractor has read, and nothing else", async () => {
  const sandbox = await createSandbox({ hasSharedProcess: true });
  onTestFinished(() => sandbox.remove());
  const run = (...words: string[]) => sandbox.forager([...words, "--data", "d"]);
  for (const name of ["old", "new", "unread"]) {
    const added = await run("company", "add", name, "--website", `${name}.example`);
    expect(added.exitCode, added.stderr).toBe(0);
  }
  const visit = (version: number) =>
    `visit:=${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", outcome: "done", version, pages: 1, seen: [] })}`;
  for (const [name, version] of [
    ["old", 0],
    ["new", 1],
  ] as const) {
    const words = [targetOfKey(`${name}.example`), "--source", `site:https://${name}.example/`];
    const set = await run("ledger", "set", ...words, visit(version));
    expect(set.exitCode, set.stderr).toBe(0);
  }
  const chosen = await run("enrich", "--outdated", "--json", "--batch", "again");
  expect(JSON.parse(chosen.stdout), chosen.stderr).toMatchObject({ chosen: 1, added: 1 });
  const tasks = await run("queue", "list", "--json");
  expect(tasks.stdout).toContain("old.example");
  expect(tasks.stdout).not.toMatch(/new\.example|unread\.example/);
});
