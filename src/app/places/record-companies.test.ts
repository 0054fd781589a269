// inputs: src/**
import { expect, test } from "vitest";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { createRecordCompanies } from "./record-companies.ts";
import { targetOfKey } from "../../records/testing/company-targets.ts";
import { openDataNames } from "../../sources/index.ts";

test("says whether it made a company, changed one that was known, or found nothing new", async () => {
  await using at = await openTestRecords();
  const companies = createRecordCompanies(at);
  const put = async (
    fields: readonly { field: string; value: unknown }[],
    foundAt = "2026-11-16",
  ) => {
    const one = {
      source: "place:osm/1",
      name: "Acme",
      place: "osm/node/1",
      domain: undefined,
      fields,
      firstFields: [{ field: "foundAt", value: foundAt }],
    };
    return (await companies.putAll([one]))[0];
  };
  const [city, phone] = [
    { field: "city", value: "Köln" },
    { field: "phone/+4922112345", value: true },
  ];
  expect(await put([city])).toMatchObject({ status: "created" });
  expect(await put([city])).toMatchObject({ status: "unchanged" });
  expect(await put([city, phone])).toMatchObject({ status: "changed" });
  expect(await put([city, phone], "2026-12-24")).toMatchObject({ status: "unchanged" });
  const target = targetOfKey("osm.node.1");
  const { fields } = await at.ledger.read(target);
  expect(fields.find(({ field }) => field === "foundAt")?.value).toBe("2026-11-16");
});

test("ids of open data name one place everywhere; lists of one's own number their rows alike", async () => {
  await using at = await openTestRecords();
  const companies = createRecordCompanies(at);
  const put = async (place: string, name: string, latitude: number) => {
    const fields = [
      { field: "latitude", value: latitude },
      { field: "longitude", value: 11 },
    ];
    const one = { source: `place:${place}`, name, place, domain: undefined, fields };
    const [result] = await companies.putAll([{ ...one, firstFields: [] }]);
    return result && "target" in result ? result.target : undefined;
  };
  for (const place of [...openDataNames.map((name) => `${name}/1`), "1", "p/1"]) {
    const [first, second] = [await put(place, "Joe", 30), await put(place, "Otto", 48)];
    expect(first).toBeDefined();
    expect([place, first === second]).toEqual([place, place.includes("/") && place !== "p/1"]);
  }
});
