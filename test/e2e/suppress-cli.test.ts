// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startDnsServer } from "../../src/crawl/testing/dns-server.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => {
  sandbox = await createRecordsSandbox();
});
afterEach(() => sandbox.remove());

const good = (...args: readonly string[]) => sandbox.good(...args);
const write = (name: string, text: string) => writeFileSync(join(sandbox.folder, name), text);
const read = (name: string) => readFileSync(join(sandbox.folder, name), "utf8");

test("B7: the suppression list keeps people out of imports and exports, and comes from a CRM's file", async () => {
  write(
    "leads.csv",
    "name,domain,email,phone\nAcme,acme.example,anna@acme.example; info@acme.example,+15125550100\nBolt,bolt.example,hi@bolt.example,\n",
  );
  await good("import", "companies", "leads.csv");
  write("optout.csv", "Email,Do not call,Phone\nANNA@acme.example,yes,+1 512 555 0100\nx@y.example,no,\n,yes,\n"); // prettier-ignore
  const args = ["suppress", "import", "optout.csv"];
  const dry = await sandbox.onData([...args, "--dry-run"]);
  expect(dry.stdout).toContain("optout.csv: 3 lines, 2 would be added, 0 known, 1 line not opted out, 1 line left out"); // prettier-ignore
  const done = await sandbox.onData([...args, "--json"]);
  expect(done.exitCode).toBe(3);
  expect(JSON.parse(done.stdout)).toMatchObject({ added: 2, known: 0, notOptedOut: 1, faulty: 1 });
  expect(await good("suppress", "add", "bolt.example", "--reason", "customer")).toBe("1 entry added\n"); // prettier-ignore
  const listed = await good("suppress", "list");
  expect(listed).toMatch(/domain .* customer/);
  expect(listed).toContain("file optout.csv");
  expect(listed).not.toContain("acme");
  expect((await sandbox.onData(["suppress", "list", "x@y.example"])).exitCode).toBe(1);

  const csv = await sandbox.onData(["export", "companies", "--columns", "name,emails,phones"]);
  expect(csv.stdout).toBe("name,emails,phones\r\nAcme,info@acme.example,\r\n");
  expect(csv.stderr).toContain("suppressed: 1 company, 1 address, 1 phone number");
  const emails = await sandbox.onData(["export", "emails"]);
  expect(emails.stdout).toMatch(/^email,.*\r\ninfo@acme\.example,.*\r\n$/);
  expect(emails.stderr).toContain(
    "left out: 1 suppressed, all of 1 company on the suppression list",
  );

  await good("suppress", "remove", "bolt.example");
  expect(await good("export", "companies", "--columns", "name")).toContain("Bolt");
  const wrong = await sandbox.onData(["suppress", "add", "a@b.example", "nobody"]);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain("'nobody' is not an e-mail address");
  expect((await sandbox.onData(["suppress", "list", "a@b.example"])).exitCode).toBe(1);
});

test("B7: exports say who is responsible, and every value says where it comes from", async () => {
  write("forager.toml", '[legal]\ncontroller = "Acme Data Ltd, 1 Main St"\nnoticeUrl = "https://acme.example/privacy"\n'); // prettier-ignore
  await good("company", "add", "Acme", "domain=acme.example", "latitude=1", "longitude=2");
  await good("export", "companies", "--to", "out.csv");
  const legal = {
    controller: "Acme Data Ltd, 1 Main St",
    noticeUrl: "https://acme.example/privacy",
  };
  expect(JSON.parse(read("out.csv.about.json"))).toMatchObject({ legal });
  expect(read("out.csv.LICENCES.txt")).toContain("Controller: Acme Data Ltd, 1 Main St\nPrivacy notice: https"); // prettier-ignore
  await good("export", "changes", "--to", "feed.jsonl");
  const about = { legal, fileFormat: "jsonl", rows: 1, changes: { new: 1 } };
  expect(JSON.parse(read("feed.jsonl.about.json"))).toMatchObject(about);
  expect(read("feed.jsonl.LICENCES.txt")).toContain("Controller: Acme Data Ltd, 1 Main St");
  const reported = await sandbox.onData(["export", "changes"]);
  expect(reported.stderr).toContain("Controller: Acme Data Ltd, 1 Main St");
  const map = await good("export", "companies", "--format", "geojson");
  expect(JSON.parse(map)).toMatchObject({ type: "FeatureCollection", legal });
  const shown = await good("company", "show", "acme", "--provenance");
  expect(shown).toMatch(/domain +acme\.example +hand:\S+ +\d{4}-\d\d-\d\d /);
});

test("D16: people and personal addresses are deleted by age, after a dry run", async () => {
  await good("person", "add", "Anna Berg", "email=anna.berg@acme.example");
  const unset = await sandbox.onData(["records", "purge"]);
  expect(unset.exitCode).toBe(2);
  expect(unset.stderr).toContain("retention.peopleDays");
  write("forager.toml", "[retention]\npeopleDays = 30\n");
  expect(await good("records", "purge", "--dry-run")).toBe("nothing is too old\n");
  expect(await good("records", "purge", "--yes")).toBe(
    "0 people and 0 personal addresses deleted\n",
  );
});

test("B7: addresses have a dated status by DNS, in the record, in CSV and as a filter", async () => {
  await using dns = await startDnsServer({
    "acme.example": { mx: [[10, "mx.acme.example"]] },
    "null.example": { mx: [[0, "."]] },
  });
  write("forager.toml", `[mail]\ndnsServer = "${dns.address}"\n`);
  write("leads.csv", "name,domain,email\nAcme,acme.example,info@acme.example; x@null.example\nBolt,bolt.example,\n"); // prettier-ignore
  await good("import", "companies", "leads.csv");
  expect(await good("company", "check-emails")).toBe(
    "2 addresses: 1 ok-domain, 1 no-mail; DNS was asked for 2 domains\n",
  );
  expect(await good("company", "check-emails")).toBe(
    "2 addresses: 2 known; DNS was asked for 0 domains\n",
  );
  const shown = await good("company", "show", "acme");
  expect(shown).toMatch(/info@acme\.example: ok-domain, mx, role, \d{4}-\d\d-\d\d/);
  expect(shown).not.toContain("verified");
  const csv = await good("export", "emails", "--email-status", "no-mail");
  expect(csv).toMatch(/,status,kind,checked\r\nx@null\.example,.*,no-mail,person,\d{4}-.*Z\r\n$/);
  const columns = ["--columns", "name,emailStatus,emailKind"];
  expect(await good("export", "companies", ...columns, "--email-status", "ok-domain")).toBe(
    "name,emailStatus,emailKind\r\nAcme,ok-domain,role\r\n",
  );
  expect(await good("company", "list", "--email-status", "disposable")).not.toContain("Acme");
});
