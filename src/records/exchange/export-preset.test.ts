import { describe, expect, test } from "vitest";
import { sampleCompany } from "../testing/sample-records.ts";
import {
  createPresetCompanyWriter,
  createPresetEmailWriter,
  findPreset,
  readPreset,
} from "./export-preset.ts";

const acme = sampleCompany("acme.example", {
  name: "=Acme",
  texts: { domain: "acme.example", street: "1 Main St", city: "Austin", zip: "01234" },
  emails: [{ value: "info@acme.example" }],
  phones: [{ value: "+15125550100" }],
  categories: ["flooring", "carpets"],
});

describe("presets", () => {
  test("HubSpot has its own headers, keys to match by, E.164 numbers, and no formulas", () => {
    const writer = createPresetCompanyWriter(findPreset("hubspot", "companies")!);
    expect(writer.begin).toBe(
      "\ufeffName,Company domain name,Phone number,Street address,City,State/Region,Postal code,Country/Region,Website URL,Industry,forager_id\r\n",
    );
    expect(writer.row(acme)).toBe(
      `'=Acme,acme.example,+15125550100,1 Main St,Austin,,01234,,,"flooring; carpets",company/acme.example\r\n`,
    );
    const contacts = createPresetEmailWriter(findPreset("hubspot", "emails")!);
    expect(contacts.begin).toMatch(/^\ufeffEmail,Company name,/);
    expect(contacts.row({ company: acme, contact: acme.emails[0]! })).toMatch(
      /^info@acme\.example,'=Acme,acme\.example,\+15125550100,/,
    );
  });

  test("one of a user maps headers to columns, or to fixed text", () => {
    const text =
      'bom = false\n[columns]\n"Organization name" = "name"\n"Lead source" = { value = "Forager" }\nOrt = "city"\n';
    const writer = createPresetCompanyWriter(readPreset(text, "crm.toml", "companies"));
    expect(writer.begin).toBe("Organization name,Lead source,Ort\r\n");
    expect(writer.row(acme)).toBe("'=Acme,Forager,Austin\r\n");
    const emails = readPreset('[columns]\nMail = "email"\nSite = "website"\n', "c.toml", "emails");
    expect(emails.columns).toHaveLength(2);
    expect(emails.hasBom).toBe(false); // as without a preset
  });

  test.each([
    [
      '[columns]\nName = "nam"\n',
      "crm.toml:2: there is no column 'nam': the nearest is name; for fixed text write { value = \"…\" }",
    ],
    ['bom = "yes"\n[columns]\nName = "name"\n', "crm.toml:1: bom must be true or false"],
    [
      "[columns]\nName = 5\n",
      'crm.toml:2: "Name" must be the name of a column in quotes, or { value = "fixed text" }',
    ],
    ['[column]\nName = "name"\n', "crm.toml:1: unknown key 'column': the nearest is columns"],
    ["[columns]\n", 'crm.toml:1: [columns] is empty: write "Company name" = "name"'],
    ["", "crm.toml:1: [columns] must say which column goes where"],
    ['[columns]\nName = "name"\nName = "city"\n', "crm.toml:3: "],
    ["[columns\n", "crm.toml:1: "],
  ])("%j is told with file, line and what to write", (text, message) => {
    expect(() => readPreset(text, "crm.toml", "companies")).toThrow(message);
  });
});
