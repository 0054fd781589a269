// inputs: src/**
import { expect, test } from "vitest";
import { openTestRecords } from "../records/testing/test-records.ts";
import { createRecordCompanies } from "./record-companies.ts";

test("says whether it made a company, changed one that was known, or found nothing new", async () => {
  await using at = await openTestRecords();
  const companies = createRecordCompanies(at);
  const put = (fields: readonly { field: string; value: unknown }[]) =>
    companies.put({
      source: "place:osm/1",
      name: "Acme",
      place: "osm/node/1",
      domain: undefined,
      fields,
      firstFields: [{ field: "foundAt", value: "2026-11-16" }],
    });
  const [city, phone] = [
    { field: "city", value: "Köln" },
    { field: "phone/+4922112345", value: true },
  ];
  expect(await put([city])).toMatchObject({ status: "created" });
  expect(await put([city])).toMatchObject({ status: "unchanged" });
  expect(await put([city, phone])).toMatchObject({ status: "changed" });
  expect(await put([city, phone])).toMatchObject({ status: "unchanged" });
});
