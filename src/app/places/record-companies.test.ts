// inputs: src/**
import { expect, test } from "vitest";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { createRecordCompanies } from "./record-companies.ts";
import { targetOfKey } from "../../records/testing/company-targets.ts";

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
