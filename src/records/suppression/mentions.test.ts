import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { sampleCompany } from "../testing/sample-records.ts";
import { openTestRecords } from "../testing/test-records.ts";
import { mentionedKeys, withoutMentions } from "./mentions.ts";
import {
  addSuppressed,
  ledgerSuppression,
  suppressionKeysOf,
  withoutListed,
} from "./suppression.ts";

test("addresses and numbers are found inside of other texts, ids and moments are none", () => {
  expect(mentionedKeys({ label: "Call (512) 555-0100 or Anna@A.example." }, "US")).toEqual([
    "email:anna@a.example",
    "phone:+15125550100",
  ]);
  expect(mentionedKeys("https://wa.me/+15125550100")).toEqual(["phone:+15125550100"]);
  expect(mentionedKeys("https://wa.me/15125550100", "US")).toEqual(["phone:+15125550100"]);
  expect(mentionedKeys(["osm/node/2401091890", "2026-11-15T19:02:03.004Z", 15125550100])).toEqual(
    [],
  );
  const listed = new Set(["phone:+15125550100"]);
  expect(withoutMentions({ a: "tel. +1 512 555 0100, info@a.example" }, listed)).toEqual({
    a: "tel. …, info@a.example",
  });
});

test("D16: a listed number is in no label, description or field of an export", () => {
  const company = sampleCompany("a.example", {
    name: "A",
    texts: { domain: "a.example", country: "US", address: "1 Main St, call 512-555-0100" },
    emails: [{ value: "info@a.example", label: "Anna, +1 512 555 0100" }],
    phones: [{ value: "+15125550100", label: "main" }, { value: "+15125550199", label: "not 512 555 0100" }], // prettier-ignore
    extra: { fax: "+15125550100" },
    description: "Call us: +15125550100",
  });
  expect(suppressionKeysOf(company)).toContain("phone:+15125550100");
  const { company: left, phones } = withoutListed(company, new Set(["phone:+15125550100"]));
  expect(phones).toBe(1);
  expect(JSON.stringify(left).replaceAll(/[^\d]/g, "")).not.toContain("5125550100");
  expect(left!.emails[0]!.label).toBe("Anna, …");
});

test("D16: a listed number is not written, neither as a field nor inside of one", async () => {
  await using at = await openTestRecords();
  const keys = ["phone:+15125550100"] as const;
  await addSuppressed(at.ledger, { keys, source: "hand:anna", random: createSeededRandom(1) });
  const { target } = await at.records.create({
    source: "place:osm/1",
    fields: {
      name: "A",
      country: "US",
      "phone/+15125550100": true,
      "email/info@a.example": { label: "Tel. (512) 555-0100" },
      "x/fax": "+15125550100",
    },
  });
  const { fields } = await at.ledger.read(target);
  expect(JSON.stringify(fields)).not.toMatch(/555.?0100/);
  expect((await ledgerSuppression(at.ledger).among(keys)).size).toBe(1);
});
