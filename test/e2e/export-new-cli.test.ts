// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => {
  sandbox = await createRecordsSandbox();
});
afterEach(() => sandbox.remove());

const good = (...args: readonly string[]) => sandbox.good(...args);
const write = (name: string, text: string) => writeFileSync(join(sandbox.folder, name), text);
const read = (name: string) => readFileSync(join(sandbox.folder, name), "utf8");

test("B7: only new companies and addresses, for HubSpot or as a user's file says; a feed of changes", async () => {
  write("a.csv", "name,domain,email,phone\nAcme,acme.example,info@acme.example,+15125550100\n");
  write("b.csv", "name,domain,email\nBolt,bolt.example,hi@bolt.example\nAcme,acme.example,more@acme.example\n"); // prettier-ignore
  await good("import", "companies", "a.csv");
  const hubspot = ["export", "companies", "--preset", "hubspot", "--new", "--name", "hubspot", "--to", "leads.csv"]; // prettier-ignore
  expect(await good(...hubspot)).toContain(
    "1 company written, first export of this name to leads.csv",
  );
  expect(read("leads.csv")).toMatch(/^\ufeffName,Company domain name,.*\r\nAcme,acme\.example,\+15125550100,.*\r\n$/); // prettier-ignore
  // A feed of the same name has a position of its own.
  expect(await good("export", "changes", "--name", "hubspot")).toContain('{"change":"new"');
  await good("export", "emails", "--new");
  expect(await good("export", "changes")).toContain('{"change":"new"');
  await good("import", "companies", "b.csv");
  expect(await good(...hubspot)).toMatch(/^1 company written, new since \d{4}-/);
  expect(read("leads.csv")).toMatch(/\r\nBolt,bolt\.example,/);
  expect(read("leads.csv")).not.toContain("Acme");
  const emails = await good("export", "emails", "--new");
  expect(emails.match(/\S+@\w+\.example/g)).toEqual(["more@acme.example", "hi@bolt.example"]);
  const feed = await good("export", "changes", "--to", "feed.jsonl");
  expect(feed).toMatch(/^2 changes \(1 new, 1 changed, 0 closed, 0 removed\), since \d{4}-.* to feed\.jsonl\n$/); // prettier-ignore
  expect(read("feed.jsonl").split("\n")).toHaveLength(3);

  write("crm.toml", '[columns]\n"Company" = "name"\n"Source" = { value = "forager" }\n');
  expect(await good("export", "companies", "--preset", "crm.toml")).toContain("Company,Source\r\nAcme,forager\r\n"); // prettier-ignore
  write("crm.toml", '[columns]\n"Company" = "nmae"\n');
  const wrong = await sandbox.onData(["export", "companies", "--preset", "crm.toml"]);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain("crm.toml:2: there is no column 'nmae': the nearest is name");
  const none = await sandbox.onData(["export", "companies", "--preset", "hubspt"]);
  expect(none.stderr).toContain("there is no preset 'hubspt': give hubspot or a .toml file");
});

test("B28: a place that a newer file does not have any more is closed in the feed, once", async () => {
  const places = ["Anna", "Bert", "Carl"].map((name, number) => ({
    id: `p/${number}`,
    name: `Plumber ${name}`,
    category: "plumber",
    latitude: 48.15,
    longitude: 11.55 + number / 1_000,
  }));
  const save = (some: readonly object[]) =>
    write("places.jsonl", some.map((one) => JSON.stringify(one)).join("\n"));
  save(places);
  await good("init", "munich", "--contact", "you@forager-tests.org", "--source", "places.jsonl");
  const changes = async (command: string) => {
    await good("campaign", command, "munich");
    await good("work", "--drain");
    const lines = (await good("export", "changes")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as { change: string; company: { name: string } });
  };
  expect(await changes("dispatch")).toHaveLength(3);
  save(places.slice(1));
  const gone = await changes("rematch");
  expect(gone.map(({ change, company: { name } }) => `${change} ${name}`)).toEqual([
    "closed Plumber Anna",
  ]);
  expect(await changes("rematch")).toEqual([]);
  save(places);
  const again = await changes("rematch");
  expect(again.map(({ change }) => change)).toEqual(["changed"]);
});
