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

test("a rebuild writes what is new in the ledger, and leaves what a hand does meanwhile", async () => {
  await using at = await openTestRecords();
  const targets = Array.from({ length: 120 }, (_, index) => `company/${100 + index}`);
  for (const target of targets) await at.say(target, { name: target.slice(8), city: "Köln" });
  const [old, edited] = ["companies/100/_index.md", "companies/101/_index.md"];
  const changes = [{ target: "company/100", field: "city", value: "Ulm" }];
  let isEdited = false;
  await at.records.rebuild({
    onProgress({ step }) {
      if (step !== "edits" || isEdited) return;
      isEdited = true;
      // Both files have been read at this point.
      at.edit(edited, (text) => text.replace("city: Köln", "city: Bonn"));
      void at.ledger.write({ source: "site:https://acme.com", changes });
    },
  });
  expect(isEdited).toBe(true);
  expect(at.read(old)).toContain("city: Ulm");
  await at.records.ingest();
  expect(at.read(edited)).toContain("city: Bonn");
  expect(await valuesOf(at.ledger, "company/101")).toMatchObject({ city: "Bonn" });
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
