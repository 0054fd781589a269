import { describe, expect, test } from "vitest";
import { openTestRecords } from "./testing/test-records.ts";
import { targetOfKey } from "./testing/company-targets.ts";

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
      target: targetOfKey("osm.node.1"),
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
aliases:
  - "Acme & Söhne"
id: ${targetOfKey("osm.node.1").slice("company/".length)}
rev: …
---

First line

more
`,
    );
  });

  describe("branches of a chain share a domain and are not one company", () => {
    const branch = (number: number) => ({
      source: `place:osm/node/${number}`,
      fields: { name: `Chain ${number}`, place: `osm/node/${number}`, domain: "chain.example" },
    });
    const site = { source: "site:https://chain.example", fields: { domain: "chain.example" } };

    test("one after the other", async () => {
      await using at = await openTestRecords();
      const outcomes = [];
      for (const number of [1, 2, 1, 2]) outcomes.push(await at.records.create(branch(number)));
      expect(outcomes.map(({ outcome, target }) => `${outcome} ${target}`)).toEqual([
        `created ${targetOfKey("osm.node.1")}`,
        `created ${targetOfKey("osm.node.2")}`,
        `known ${targetOfKey("osm.node.1")}`,
        `known ${targetOfKey("osm.node.2")}`,
      ]);
    });

    test("all at once", async () => {
      await using at = await openTestRecords();
      const made = await at.records.createAll([branch(1), branch(2), branch(1), branch(2), site]);
      expect(made.map(({ outcome, target }) => `${outcome} ${target}`)).toEqual([
        `created ${targetOfKey("osm.node.1")}`,
        `created ${targetOfKey("osm.node.2")}`,
        `known ${targetOfKey("osm.node.1")}`,
        `known ${targetOfKey("osm.node.2")}`,
        `known ${targetOfKey("osm.node.1")}`,
      ]);
    });

    test.each([true, false])(
      "the first place goes to the company its site made, the second does not (at once: %s)",
      async (isAtOnce) => {
        await using at = await openTestRecords();
        const before = await at.records.create(site);
        const rest = [branch(1), branch(2)];
        const made = [];
        if (isAtOnce) made.push(...(await at.records.createAll(rest)));
        else for (const request of rest) made.push(await at.records.create(request));
        expect(made.map(({ target }) => target)).toEqual([
          before.target,
          targetOfKey("osm.node.2"),
        ]);
      },
    );
  });
});
