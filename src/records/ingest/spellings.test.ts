import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { readFieldValues } from "../change/edit-fields.ts";
import { planColumns } from "../exchange/import-columns.ts";
import { openTestRecords } from "../testing/test-records.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const file = "companies/acme/_index.md";
const target = targetOfKey("acme.com");

describe("keys that people write in another spelling", () => {
  test("may have several addresses or numbers on one line, in a new file and in an edit", async () => {
    await using at = await openTestRecords();
    const all = "all_emails: A@acme.com, b@acme.com\nphones: +1 512 555 0100; +1 512 555 0101";
    at.save(file, `---\nname: Acme\ndomain: acme.com\n${all}\n---\n`);
    await at.records.ingest();
    at.edit(file, (text) => text.replace("  - b@acme.com", "  - c@acme.com, d@acme.com"));
    await at.records.ingest();
    const values = await valuesOf(at.ledger, target);
    expect(Object.keys(values).filter((field) => /^(?:email|phone)/.test(field))).toEqual([
      "email/a@acme.com",
      "email/c@acme.com",
      "email/d@acme.com",
      "phone/+15125550100",
      "phone/+15125550101",
    ]);
    expect(at.read(file)).toContain("emails:\n  - a@acme.com\n  - c@acme.com\n  - d@acme.com\n");
    at.edit(file, (text) => text.replace("  - a@acme.com", "  - Ann, at the desk"));
    await at.records.ingest();
    expect(at.read(file)).toContain(`  - "ann, at the desk"`);
  });

  test("of a new file become the fields that they name, and none of one's own", async () => {
    await using at = await openTestRecords();
    at.save(
      file,
      `---
name: Acme
domain: acme.com
country: US
email: Info@Acme.com
all_emails: [sales@acme.com, info@acme.com]
phone_1: (512) 555-0100
tag: vip
website_url: https://acme.com/
E-Mail 2: jane@acme.com
Facebook: https://facebook.com/acme
average_rating: 4.5
callback_at: 2026-12-01T09:00:00Z
colour: blue
description: Floors of all kinds
---
`,
    );
    expect((await at.records.ingest()).problems).toEqual([]);
    const { slug: _slug, ...values } = await valuesOf(at.ledger, target);
    expect(values).toEqual({
      name: "Acme",
      domain: "acme.com",
      country: "US",
      "email/info@acme.com": true,
      "email/sales@acme.com": true,
      "email/jane@acme.com": true,
      "phone/+15125550100": true,
      "tag/vip": true,
      website: "https://acme.com/",
      "social/facebook": "https://facebook.com/acme",
      rating: 4.5,
      callback: "2026-12-01T09:00:00Z",
      "x/colour": "blue",
      description: "Floors of all kinds",
    });
    // The file has the right keys now, and saving it again changes nothing.
    const text = at.read(file);
    expect(text).toMatch(/^emails:\n {2}- info@acme\.com\n/m);
    expect(text).not.toMatch(/^(?:email|all_emails|phone_1|tag|website_url|description):/m);
    expect(text).toMatch(/\n---\n\nFloors of all kinds\n$/);
    at.edit(file, (old) => old.replace("name: Acme", "name: Acme # ours"));
    expect((await at.records.ingest()).edited).toEqual([]);
  });

  test("of a known file add to its lists; the comments of the file stay", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", domain: "acme.com", "email/a@acme.com": true });
    const path = "companies/acme/_index.md";
    at.edit(path, (text) =>
      text.replace("domain:", "# mine\nemail: b@acme.com\nphone: +1 512 555 0100\ndomain:"),
    );
    const { edited, problems } = await at.records.ingest();
    expect(problems).toEqual([]);
    expect(edited).toEqual([{ target, fields: ["email/b@acme.com", "phone/+15125550100"] }]);
    expect(await valuesOf(at.ledger, target)).not.toHaveProperty("x/email");
    const text = at.read(path);
    expect(text).toContain("emails:\n  - a@acme.com\n  - b@acme.com\n");
    expect(text).not.toMatch(/^(?:email|phone):/m);
  });

  test("that spreadsheets and other languages use mean the same in a file and in an import", async () => {
    await using at = await openTestRecords();
    const lines = {
      mobile: "+1 512 555 0101",
      Handy: "+1 512 555 0102",
      "contact email": "jane@acme.com",
      www: "https://acme.com/",
      Ort: "Bonn",
      Postleitzahl: "53111",
      Straße: "Am Hof 1",
      labels: "vip",
      industry: "floors",
      stars: 4.5,
      exclude: "a competitor",
    };
    const text = Object.entries(lines).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    at.save(file, `---\nname: Acme\ndomain: acme.com\n${text.join("")}---\n`);
    expect((await at.records.ingest()).problems).toEqual([]);
    const {
      slug: _slug,
      name: _name,
      domain: _domain,
      ...values
    } = await valuesOf(at.ledger, target);
    expect(values).toEqual({
      "phone/+15125550101": true,
      "phone/+15125550102": true,
      "email/jane@acme.com": true,
      website: "https://acme.com/",
      city: "Bonn",
      zip: "53111",
      street: "Am Hof 1",
      "tag/vip": true,
      "category/floors": true,
      rating: 4.5,
      excluded: "a competitor",
    });
    const { columns, leftOut } = planColumns(Object.keys(lines));
    expect(leftOut).toEqual([]);
    expect(columns.map((column) => column?.field)).toEqual(
      "phone phone email website city zip street tag category rating excluded".split(" "),
    );
  });

  test("two spellings with two values, a slug, and a second description are refused with the reason", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", domain: "acme.com", website: "https://acme.com/" });
    const before = at.read(file);
    const reasonFor = async (line: string, below = "") => {
      at.save(file, before.replace("id: ", `${line}\nid: `) + below);
      return (await at.records.ingest()).problems.map(({ reason }) => reason).join();
    };
    expect(await reasonFor("website_url: https://other.example/")).toMatch(/says website twice/);
    expect(await reasonFor("slug: other")).toMatch(/name of its folder: rename the folder/);
    expect(await reasonFor("description: one", "\ntwo\n")).toMatch(/the text is the description/);
    expect(await reasonFor("website_url: https://acme.com/")).toBe("");
  });

  test("of a note are understood too", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", domain: "acme.com" });
    const note =
      "---\ntimestamp: 2026-11-12T10:00:00Z\nsubject: Lunch\nauthor: anna\n---\n\nWas good\n";
    at.save("companies/acme/notes/lunch.md", note);
    expect((await at.records.ingest()).problems).toEqual([]);
    expect((await at.records.company("acme"))?.entries).toMatchObject([
      { kind: "note", at: "2026-11-12T10:00:00Z", title: "Lunch", by: "anna", text: "Was good" },
    ]);
  });

  test("a field of one's own cannot have the name of a known one, by command or by import", () => {
    const set = (field: string) =>
      readFieldValues([[field, "x"]], {
        kind: "company",
        isNew: false,
        country: undefined,
        nowMs: 0,
      });
    expect(() => set("x/email")).toThrow("x/email cannot be a field of your own: in a file, email means emails; set email= instead"); // prettier-ignore
    expect(() => set("x/website_url")).toThrow("set website= instead");
    expect(set("x/colour")).toEqual({ "x/colour": "x" });
    expect(() => planColumns(["A"], { mappings: ["A=x/phone_number"] })).toThrow("map to phone");
  });
});
