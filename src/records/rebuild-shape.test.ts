import { expect, test } from "vitest";
import { valuesOf } from "../ledger/testing/test-ledger.ts";
import { openTestRecords } from "./testing/test-records.ts";

test("a rebuild keeps the shape that hands gave to files whose names collide", async () => {
  await using at = await openTestRecords();
  for (const id of ["d", "b", "f", "a", "e", "c"]) {
    await at.say(`company/${id}`, { name: "Acme", city: "Köln", domain: `${id}.example` });
  }
  const folders = at.list("companies");
  expect(folders).toHaveLength(6);
  expect(at.read("companies/acme/_index.md")).toContain("a.example");
  for (const name of folders) {
    at.edit(`companies/${name}/_index.md`, (text) => text.replace("---\n", "---\n# ours\n"));
  }
  await at.records.ingest();
  const before = at.tree("companies");
  await at.records.rebuild();
  expect([...at.tree("companies")]).toEqual([...before]);
  expect(at.read("companies/acme/_index.md")).toContain("# ours");
});

test("who writes what another wrote and did not render renders it", async () => {
  await using at = await openTestRecords();
  const target = "company/acme";
  await at.say(target, { name: "Acme" });
  const changes = [{ target, field: "city", value: "Köln" }];
  await at.ledger.write({ source: "site:https://acme.com", changes });
  await at.say(target, { city: "Köln" });
  expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Köln" });
  expect(at.read("companies/acme/_index.md")).toContain("city: Köln");
});
