import { describe, expect, test } from "vitest";
import { openTestRecords } from "./testing/test-records.ts";

const acme = {
  name: "Acme & Söhne",
  domain: "https://www.Acme.com/",
  place: "osm/node/1",
  city: "Köln",
  zip: "01234",
  rating: 4.5,
  "email/info@acme.com": { label: "sales", url: "https://acme.com/contact" },
  "tag/floor": true,
  description: "First line\n\nmore",
};

describe("records", () => {
  test("a company becomes a file that says what is known, in order", async () => {
    await using at = await openTestRecords();
    const source = "place:osm/node/1";
    const made = await at.records.create({ source, fields: acme });
    expect(made).toMatchObject({
      outcome: "created",
      target: "company/osm.node.1",
      slug: "acme-and-sohne",
    });
    const text = at.read("companies/acme-and-sohne/_index.md");
    expect(text.replace(/rev: .*/, "rev: …")).toBe(
      `---
name: "Acme & Söhne"
emails:
  - info@acme.com
domain: acme.com
city: Köln
zip: "01234"
place: osm/node/1
rating: 4.5
tags:
  - floor
id: osm.node.1
rev: …
---

First line

more
`,
    );
  });
});
