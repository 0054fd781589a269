import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { isRecorded, targetOf } from "./recorded-commands.ts";
import { registry } from "./registry.ts";
import { runCli } from "./run-cli.ts";
import { createTestStream } from "./testing/test-stream.ts";

/** They show something, or start what records itself. A new command is in this list or is recorded. */
const notRecorded = new Set(
  [
    "demo up work serve dashboard api crawl phrases top status logs loadtest doctor runbook version names completion",
  ]
    .join(" ")
    .split(" ")
    .concat([
      "queue list", "queue show", "queue stats", "queue jobs", "queue job", "queue gates", "queue pacing", "queue failures",
      "bucket ls", "bucket cat", "bucket usage", "bucket probe",
      "company show", "company search", "company list", "company to-call", "company who", "company duplicates", "company history", // prettier-ignore
      "person show", "person search", "person list", "person history",
      "records status", "records watch",
      "ledger status", "ledger log", "ledger show", "ledger verify", "ledger sync", "ledger conflicts",
      "campaign list", "campaign show", "campaign status", "campaign coverage", "campaign report",
      // A restore that was done is recorded by opening the folder; one that was refused writes nothing there.
      "backup list", "backup verify", "backup restore",
      "infra policy", "infra bucket-policy", "infra lifecycle", "infra cloudformation",
      "schedule list", "schedule show", "suppress list", "audit-log list",
      "webhook list", "webhook deliveries", "user list", "token list",
      "node show", "node list", "node run", "hub run", "hub status", "fleet show",
      "config show", "config get", "config path",
    ]), // prettier-ignore
);

test("every command is recorded, or only shows something", () => {
  const flags = { repair: true, delay: "1s" };
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

test("changes and exports by command are in the audit log, without secrets, a line each", async () => {
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
  const good = async (...argv: string[]) => {
    const { exitCode, stderr } = await run(...argv);
    expect([argv.join(" "), exitCode, stderr.replaceAll(/^(?!error).*\n/gm, "")]).toEqual([argv.join(" "), 0, ""]); // prettier-ignore
  };
  await good("queue", "add", "page", "{}", "--job", "j");
  await good("queue", "pause", "j");
  await good("queue", "gate", "a.example", "--delay", "2s");
  await good("queue", "gate", "a.example");
  await good("fleet", "set", "all", "pause", "--wait", "0");
  await good("campaign", "new", "austin");
  await good("campaign", "set", "austin", "budget.requests=1000");
  await good("company", "add", 'Evil\r\n{"who":"root"}\u001b[2J\u202e');
  await good("export", "companies", "--quiet");
  await good("user", "add", "anna", "--role", "viewer");
  await good("token", "add", "crm", "--scope", "queue:read");
  await good("webhook", "add", "https://hooks.example/services/T0P/S3CRET");
  await good("config", "set", "crawl.contact", "S3CRET@forager-tests.org");
  await run("queue", "pause", "no-such-job");
  await run("queue", "list");
  const [name = ""] = readdirSync(join(folder, "data", "audit"));
  const text = readFileSync(join(folder, "data", "audit", name), "utf8");
  expect(text).not.toMatch(/S3CRET|fgr_|whsec_/);
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  const entries = text.trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
  const what = entries.map((entry) => `${entry["what"]} ${entry["result"]}`);
  expect(what).toEqual(
    expect.arrayContaining(["queue add ok", "queue pause ok", "queue gate ok", "fleet set ok", "campaign new ok", "campaign set ok", "company add ok", "export companies ok", "user add ok", "token add ok", "webhook add ok", "config set ok", "queue pause failed"]), // prettier-ignore
  );
  expect(what.filter((one) => one.startsWith("queue gate"))).toHaveLength(1);
  expect(what.join()).not.toContain("queue list");
  expect(entries.find((entry) => entry["what"] === "queue gate")).toMatchObject({ by: "command", target: "a.example", after: '{"delay":"2s"}' }); // prettier-ignore
  expect(entries.find((entry) => entry["what"] === "config set")!["target"]).toBe("crawl.contact");
  const { stdout } = await run("audit-log", "list", "--what", "company", "--json");
  expect(JSON.parse(stdout)).toHaveLength(1);
});
