import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { isRecorded, targetOf } from "./recorded-commands.ts";
import { registry } from "../registry.ts";
import { runCli } from "./run-cli.ts";
import { createTestStream } from "../testing/test-stream.ts";

/**
 * These commands only show something, or start programs that record themselves. Add each new
 * command here, or record it.
 */
const notRecorded = new Set(
  [
    "demo up work serve dashboard api crawl phrases top status logs loadtest doctor runbook version names completion",
  ]
    .join(" ")
    .split(" ")
    .concat([
      "queue list", "queue show", "queue stats", "queue jobs", "queue gates", "queue pacing", "queue failures",
      "bucket ls", "bucket cat", "bucket usage", "bucket probe",
      "company show", "company search", "company list", "company to-call", "company who", "company duplicates", "company history", // prettier-ignore
      "person show", "person search", "person list", "person history",
      "records check", "records watch",
      "ledger status", "ledger log", "ledger show", "ledger verify", "ledger sync", "ledger conflicts",
      "campaign list", "campaign show", "campaign status", "campaign coverage", "campaign report",
      // A completed restore is recorded when the folder is opened; a refused one writes nothing.
      "backup list", "backup verify", "backup restore",
      "infra policy", "infra bucket-policy", "infra lifecycle", "infra cloudformation",
      "schedule list", "schedule show", "suppress list", "audit-log list",
      "webhook list", "webhook deliveries", "user list", "token list",
      "node show", "node list", "node run", "hub run", "hub status", "fleet show",
      "config show", "config get", "config path",
    ]), // prettier-ignore
);

test("every command is recorded, or only shows something", () => {
  const flags = { repair: true, delay: "1s", budget: "1" };
  const missing = registry.commands
    .map(({ name }) => name)
    .filter((name) => !isRecorded({ name, args: ["prune"], flags }) && !notRecorded.has(name));
  expect(missing).toEqual([]);
  const both = [...notRecorded].filter((name) => isRecorded({ name, args: [], flags: {} }));
  expect(both).toEqual([]);
});

test("a dry run and a question are not recorded", () => {
  expect(isRecorded({ name: "queue purge", args: [], flags: { dryRun: true } })).toBe(false);
  expect(isRecorded({ name: "company forget", args: ["a"], flags: { status: true } })).toBe(false);
  expect(isRecorded({ name: "queue gate", args: ["a.example"], flags: {} })).toBe(false);
  expect(isRecorded({ name: "queue gate", args: ["a.example"], flags: { block: "1h" } })).toBe(
    true,
  );
});

test("who is suppressed is not in the audit log", () => {
  const run = { name: "suppress add", args: ["anna@example.com"], flags: {} };
  expect(isRecorded(run)).toBe(true);
  expect(targetOf(run)).not.toContain("anna");
});

/**
 * Recorded commands whose audit entries have the input but no old values. Add each new command here
 * or to the test.
 */
const withoutBefore: Readonly<Record<string, string>> = {
  ...reason("it only adds something", "init", "deploy", "queue add", "queue import", "queue move", "bucket create", "bucket put", "company add", "person add", "import companies", "backup create", "campaign new", "campaign plan", "campaign dispatch", "campaign run", "enrich", "places import", "schedule run-now", "webhook add", "webhook replay", "token add", "node join"),
  ...reason("what it changes is a secret", "node key"),
  ...reason("what is forgotten must not stay in the log", "company forget", "person forget", "ledger forget", "records purge"),
  ...reason("it changes many: each has its own history", "company check-emails", "company resolve", "records rebuild", "records ingest", "records repair", "records quarantine", "campaign rematch", "campaign audit", "ledger compact", "ledger quarantine"),
  ...reason("it changes nothing that is stored", "export companies", "export emails", "export changes", "audit-log export", "publish", "webhook test"),
  ...reason("it prints what to write", "infra apply-outputs"),
}; // prettier-ignore

/**
 * These need an editor, two nodes or wrong counters. They read the old state in the same way as the
 * tested commands.
 */
const notTried = [
  "queue reconcile",
  "company open",
  "person open",
  "config edit",
  "campaign edit",
  "ledger restore",
];

function reason(why: string, ...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, why]));
}

interface Entry {
  readonly [part: string]: string | null;
}

/** Runs commands in a separate folder, and reads the audit entries. */
function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-cli-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "forager.toml"), 'data = "data"\n');
  const run = async (...argv: string[]) => {
    const [stdout, stderr] = [createTestStream(), createTestStream()];
    const exitCode = await runCli({
      argv,
      registry,
      version: "1.2.3",
      stdin: new PassThrough(),
      stdout,
      stderr,
      env: { FORAGER_GOSSIP_ON: "no" },
      cwd: folder,
      home: folder,
      clock: systemClock,
      signal: new AbortController().signal,
      stoppedBy: () => undefined,
    });
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };
  const good = async (line: string, ...more: string[]) => {
    const { exitCode, stderr, stdout } = await run(...line.split(" "), ...more);
    expect([line, exitCode, stderr.replaceAll(/^(?!error).*\n/gm, "")]).toEqual([line, 0, ""]);
    return stdout;
  };
  const text = () => {
    const [name = ""] = readdirSync(join(folder, "data", "audit"));
    return readFileSync(join(folder, "data", "audit", name), "utf8");
  };
  const entries = () => text().trimEnd().split("\n").map((line) => JSON.parse(line) as Entry); // prettier-ignore
  return { folder, run, good, text, entries };
}

test("changes and exports by command are in the audit log, without secrets, a line each", async () => {
  const { run, good, text, entries } = setUp();
  await good("queue add page {} --job j");
  await good("queue gate a.example --delay 2s");
  await good("queue gate a.example");
  await good("company add", 'Evil\r\n{"who":"root"}\u001b[2J\u202e');
  await good("export companies --quiet --country US");
  await good("export companies --quiet --format jsonl");
  await good("token add crm --scope queue:read");
  await good("webhook add https://hooks.example/services/T0P/S3CRET");
  await run("queue", "pause", "no-such-job");
  await run("queue", "list");
  expect(text()).not.toMatch(/S3CRET|fgr_|whsec_/);
  expect(text().replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  const what = entries().map((entry) => `${entry["what"]} ${entry["result"]}`);
  expect(what).toEqual(["queue add ok", "queue gate ok", "company add ok", "export companies ok", "export companies ok", "token add ok", "webhook add ok", "queue pause failed"]); // prettier-ignore
  const [filtered, whole] = entries().filter((entry) => entry["what"] === "export companies");
  expect([filtered!["asked"], filtered!["after"]]).toEqual([
    '{"format":"csv","country":"US"}',
    '{"rows":0}',
  ]);
  expect([whole!["asked"], whole!["after"]]).toEqual(['{"format":"jsonl"}', '{"rows":1}']);
  const { stdout } = await run("audit-log", "list", "--what", "company", "--json");
  expect(JSON.parse(stdout)).toHaveLength(1);
});

test("of what was forgotten only the id stays in the audit log, and tasks are recorded without payload", async () => {
  const { good, text, entries } = setUp();
  await good("person add Jo --email jo@private.example");
  await good("person set jo city=Waco");
  await good("person set jo city=Austin");
  await good("person forget jo --yes");
  await good('queue add page {"to":"jo@private.example"}');
  expect(text()).not.toMatch(/private|Waco|Austin|"jo"|jo city/i);
  const forget = entries().find(({ what }) => what === "person forget")!;
  expect(JSON.parse(forget["after"]!)).toEqual({ target: expect.stringMatching(/^person\/\w+$/) });
  expect(entries().map(({ what }) => what)).toEqual(["person add", "person set", "person set", "person forget", "queue add"]); // prettier-ignore
  expect(entries().at(-1)).toMatchObject({ target: "page" });
});

test("every command that changes what is there records what it was and what it is", async () => {
  const { folder, good, text, entries } = setUp();
  for (const name of ["Acme", "Bolt"]) await good(`company add ${name} --city Waco`);
  await good("person add Jo");
  for (const kind of ["company", "person"]) {
    const name = kind === "company" ? "acme" : "jo";
    await good(`${kind} set ${name} city=Austin`);
    await good(`${kind} unset ${name} city`);
    for (const entry of ["note", "meeting", "call"]) await good(`${kind} ${entry} ${name} text`);
    await good(`${kind} tag ${name} vip`);
    const before = new Date().toISOString();
    await good(`${kind} delete ${name} --yes`);
    await good(`${kind} restore ${name} --at ${before} --yes`);
  }
  await good("company exclude acme rival");
  await good("company distinct acme bolt");
  await good("company merge bolt acme --yes");
  await good("company unmerge bolt");
  await good("company tag acme gone");
  await good("undo --yes");
  await good("ledger set company/x city=Waco");
  await good("suppress add jo@private.example");
  writeFileSync(join(folder, "out.csv"), "email\njim@private.example\n");
  await good("suppress import out.csv");
  await good("suppress remove jo@private.example jim@private.example");
  await good("campaign new austin");
  await good("campaign set austin budget.requests=1000");
  await good("campaign remove austin --yes");
  await good("queue add page {} --job j --gate a.example --delay 1h");
  await good("queue job j --concurrency 2");
  await good("queue pause j");
  await good("queue resume j");
  await good("queue gate a.example --delay 2s");
  await good("queue raise 1 --priority 900");
  await good("queue seal j");
  await good("queue cancel j --yes");
  await good("queue retry --state skipped --yes");
  await good("queue cancel j --yes");
  await good("queue purge --state skipped --yes");
  await good("queue log prune --before 1s --yes");
  await good("queue reconcile --repair --yes");
  await good("fleet set all pause --wait 0");
  await good("fleet finish-upgrade");
  await good("schedule add nightly --every 1h --does purge");
  await good("schedule pause nightly");
  await good("schedule resume nightly");
  await good("schedule remove nightly");
  await good("user add anna --role viewer");
  await good("user role anna editor");
  await good("user password anna");
  await good("user remove anna --yes");
  const token = JSON.parse(await good("token add crm --scope queue:read --json")) as Entry;
  await good(`token revoke ${token["id"]}`);
  const hook = JSON.parse(await good("webhook add https://hooks.example/a --json")) as Entry;
  await good(`webhook rotate ${hook["id"]}`);
  await good(`webhook enable ${hook["id"]}`);
  await good(`webhook remove ${hook["id"]}`);
  await good("config set crawl.contact me@forager-tests.org");
  await good("config set crawl.contact you@forager-tests.org");
  const all = entries();
  const compared = all.filter(({ before, after }) => before !== null || after !== null);
  const tried = new Set([...compared.map(({ what }) => what!), ...notTried]);
  const recordedNames = registry.commands
    .map(({ name }) => name)
    .filter((name) => isRecorded({ name, args: ["prune"], flags: { repair: true, delay: "1s", budget: "1" } })); // prettier-ignore
  expect(recordedNames.filter((name) => !tried.has(name) && withoutBefore[name] === undefined)).toEqual([]); // prettier-ignore
  const values = (name: string) => {
    const { before, after } = all.findLast(({ what }) => what === name)!;
    return [before, after].map((value) => JSON.parse(value ?? "null") as unknown);
  };
  expect(values("company set")).toEqual([{ city: "Waco" }, { city: "Austin" }]);
  expect(values("campaign set")[1]).toMatchObject({ text: expect.stringContaining("requests = 1000") }); // prettier-ignore
  expect(values("queue gate")).toEqual([{ delayMs: 0 }, { delayMs: 2_000 }]);
  expect(values("queue purge")).toEqual([
    { skipped: 1, log: 0 },
    { skipped: 0, log: 1 },
  ]);
  expect(values("fleet set")).toEqual([{ scope: "all", state: null }, expect.objectContaining({ state: "paused" })]); // prettier-ignore
  expect(values("user role")).toEqual([{ role: "viewer" }, { role: "editor" }]);
  expect(values("user remove")).toEqual([expect.objectContaining({ role: "editor" }), null]);
  expect(values("suppress remove")).toEqual([{ listed: 2 }, { listed: 0 }]);
  expect(values("config set")).toEqual([{ "crawl.contact": "me@forager-tests.org" }, { "crawl.contact": "you@forager-tests.org" }]); // prettier-ignore
  expect(text()).not.toMatch(/@private|whsec_|fgr_|welcome#/);
});
