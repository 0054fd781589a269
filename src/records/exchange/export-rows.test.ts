import { describe, expect, test } from "vitest";
import { sampleCompany } from "../testing/sample-records.ts";
import { createCsvReader } from "./csv-reader.ts";
import {
  companyCard,
  companyColumnNames,
  companyCsvHeader,
  companyCsvLine,
  companyObject,
  emailCard,
  emailCsvHeader,
  emailCsvLine,
  emailObject,
} from "./export-rows.ts";
import { columnOf, planColumns } from "./import-columns.ts";
import { readCompany, type ImportCell } from "./read-company.ts";

const acme = sampleCompany("acme.example", {
  name: "=HYPERLINK(1) & Co",
  texts: {
    domain: "acme.example",
    website: "https://acme.example/",
    city: "Austin",
    country: "US",
  },
  numbers: { latitude: -30.5, rating: 4.5 },
  emails: [{ value: "info@acme.example", label: "office", url: "https://acme.example/c" }],
  phones: [{ value: "+15125550100" }],
  tags: ["a, b", "c"],
  socials: { facebook: "https://facebook.com/acme" },
  entries: [{ kind: "note", id: "n1", at: "2026-01-01T00:00:00.000Z", text: "hello" }],
  extra: { revenue: 5 },
  description: "Line one\nline two",
});

describe("exports", () => {
  test("columns are stable: this list only ever grows at its end", () => {
    expect(companyColumnNames.join(",")).toBe(
      "name,slug,domain,website,type,emails,phones,street,city,zip,state,country,address,latitude," +
        "longitude,rating,reviews,categories,services,products,tags,tech,keywords,facebook," +
        "instagram,linkedin,twitter,youtube,place,status,hours,timezone,callback,excluded," +
        "description,changed,id",
    );
    expect(emailCsvHeader().trim()).toBe(
      "email,label,company,slug,domain,phone,city,state,country,categories,tags,source," +
        "status,kind,checked",
    );
  });

  test("a company as CSV cannot run in a spreadsheet, and comes back by an import", () => {
    const line = companyCsvLine(acme);
    expect(line).toMatch(/^'=HYPERLINK\(1\) & Co,/);
    const reader = createCsvReader();
    const rows = [...reader.push(companyCsvHeader() + line), ...reader.end()];
    const [header, values] = rows.map(({ cells }) => cells);
    const { columns } = planColumns(header!);
    const cells = columns.flatMap((column, at): ImportCell[] =>
      column ? [[column, values![at]]] : [],
    );
    const { fields, problems } = readCompany(cells, { at: "2026-01-01T00:00:00.000Z" });
    expect(problems).toEqual([]);
    expect(fields).toEqual({
      name: "=HYPERLINK(1) & Co",
      domain: "acme.example",
      website: "https://acme.example/",
      city: "Austin",
      country: "US",
      latitude: -30.5,
      rating: 4.5,
      "email/info@acme.example": true,
      "phone/+15125550100": true,
      "tag/a, b": true,
      "tag/c": true,
      "social/facebook": "https://facebook.com/acme",
      description: "Line one\nline two",
    });
  });

  test("tags come back as they were: one or many, with a comma or without", () => {
    for (const tags of [[], ["a"], ["a, b"], ["a", "b, c"], ["a", "b"]]) {
      const reader = createCsvReader();
      const text = companyCsvHeader() + companyCsvLine({ ...acme, tags });
      const [header, values] = [...reader.push(text), ...reader.end()].map(({ cells }) => cells);
      const { columns } = planColumns(header!);
      const cells = columns.flatMap((column, at): ImportCell[] =>
        column ? [[column, values![at]]] : [],
      );
      const { fields } = readCompany(cells, { at: "2026-01-01T00:00:00.000Z" });
      const found = Object.keys(fields).filter((field) => field.startsWith("tag/"));
      expect(found).toEqual(tags.map((tag) => `tag/${tag}`));
    }
  });

  test("a company as JSON comes back with all that is known, notes included", () => {
    const object = JSON.parse(JSON.stringify(companyObject(acme))) as Record<string, unknown>;
    const cells = Object.entries(object).flatMap(([header, value]): ImportCell[] => {
      const column = columnOf(header);
      return column ? [[column, value]] : [];
    });
    const { fields } = readCompany(cells, { at: "2026-01-01T00:00:00.000Z" });
    expect(fields).toMatchObject({
      "email/info@acme.example": { label: "office", url: "https://acme.example/c" },
      "tag/a, b": true,
      "note/n1": { at: "2026-01-01T00:00:00.000Z", text: "hello" },
      "x/revenue": 5,
    });
  });

  test("a company and an address as cards", () => {
    const card = companyCard(acme);
    expect(card).toContain("FN:=HYPERLINK(1) & Co\r\n");
    expect(card).toContain("EMAIL;TYPE=work:info@acme.example\r\n");
    expect(card).toContain("TEL;VALUE=uri;TYPE=work:tel:+15125550100\r\n");
    expect(card).toContain("ADR:;;;Austin;;;US\r\n");
    expect(card).toContain("CATEGORIES:a\\, b,c\r\n");
    expect(card).toContain("REV:20261116T000000Z\r\n");
    expect(card).not.toContain("GEO:"); // one coordinate alone is not a point
    const row = { company: acme, contact: acme.emails[0]! };
    expect(emailCard(row)).toContain("EMAIL;TYPE=work:info@acme.example\r\n");
    expect(emailCsvLine(row)).toMatch(/^info@acme\.example,office,'=HYPERLINK\(1\) & Co,/);
    expect(emailObject(row)).toMatchObject({ email: "info@acme.example", city: "Austin" });
  });
});
