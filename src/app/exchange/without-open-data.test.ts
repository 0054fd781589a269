import { expect, test } from "vitest";
import { findDuplicatePairs, mergeDuplicates, placesOf } from "../../records/index.ts";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { attributionsOf } from "../../sources/index.ts";
import { withoutOpenData } from "./without-open-data.ts";
import { targetOfKey } from "../../records/testing/company-targets.ts";

const point = { latitude: 48.1, longitude: 11.5 };

async function openMerged() {
  const at = await openTestRecords();
  const create = (place: string, fields: Record<string, unknown>) => ({
    source: `place:${place}`,
    fields: { place, ...point, ...fields },
  });
  await at.records.createAll([
    create("osm/node/1", { name: "Rohr Meyer", city: "München", "phone/+4989123456": true }),
    create("overture/a", { name: "Rohr Meyer GmbH", zip: "80331", website: "https://meyer.example/" }),
    create("osm/node/2", { name: "Only OpenStreetMap", latitude: 50 }),
    create("osm/node/3", { name: "Read on its site", latitude: 51 }),
  ]); // prettier-ignore
  await mergeDuplicates({
    merge: at.records.merge.bind(at.records),
    duplicatePairs: (options) => findDuplicatePairs(at.index, options),
  });
  await at.records.write({
    source: "site:read.example",
    changes: [
      { target: targetOfKey("osm.node.3"), field: "domain", value: "read.example" },
      { target: targetOfKey("osm.node.3"), field: "email/info@read.example", value: true },
    ],
  });
  return at;
}

test("values whose only source is OpenStreetMap go, with companies that nobody else names", async () => {
  await using at = await openMerged();
  const targets = [targetOfKey("osm.node.1"), targetOfKey("osm.node.2"), targetOfKey("osm.node.3")];
  const companies = await Promise.all(targets.map(async (one) => (await at.records.company(one))!));
  expect(companies.map((one) => placesOf(one).length)).toEqual([2, 1, 1]);
  const [merged, only, read] = await withoutOpenData(companies, {
    ledger: at.ledger,
    names: new Set(["osm"]),
  });
  // Overture has the name too: its value replaces the one of OpenStreetMap.
  expect(merged).toMatchObject({ name: "Rohr Meyer GmbH", texts: { zip: "80331" } });
  expect(merged?.texts.city).toBeUndefined();
  expect(merged?.phones).toEqual([]);
  expect(attributionsOf(placesOf(merged!)).map(({ licence }) => licence)).toEqual([
    "CDLA-Permissive-2.0",
  ]);
  expect(only).toBeUndefined();
  expect(read).toMatchObject({ name: "read.example", emails: [{ value: "info@read.example" }] });
  for (const left of [merged, read]) expect(JSON.stringify(left)).not.toMatch(/osm|OpenStreetMap/);
});

test("without nothing, nothing changes", async () => {
  await using at = await openMerged();
  const company = (await at.records.company(targetOfKey("osm.node.1")))!;
  const [same] = await withoutOpenData([company], { ledger: at.ledger, names: new Set() });
  expect(same).toEqual(company);
});
