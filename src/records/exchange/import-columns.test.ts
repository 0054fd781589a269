import { describe, expect, test } from "vitest";
import { columnOf, planColumns } from "./import-columns.ts";
import { readCompany, type ReadCompanyOptions } from "./read-company.ts";
import { readDomain, readEmail, readMoment, readNumber, readPhone } from "./read-values.ts";

const at = "2026-11-16T00:00:00.000Z";
function read(row: Readonly<Record<string, unknown>>, options: Partial<ReadCompanyOptions> = {}) {
  const cells = Object.entries(row).flatMap(([header, value]) => {
    const column = columnOf(header, { keepsOthers: true });
    return column ? [[column, value] as const] : [];
  });
  return readCompany(cells, { at, ...options });
}

describe("columns", () => {
  test.each([
    "Firma,E-Mail,Telefon,Straße,PLZ,Ort,Land,Webseite",
    "Entreprise,Courriel,Téléphone,Rue,Code postal,Ville,Pays,Site web",
    "Empresa,Correo,Teléfono,Calle,Codigo postal,Ciudad,País,Sitio web",
  ])("are found in other languages: %s", (headers) => {
    const { columns } = planColumns(headers.split(","));
    expect(columns.map((column) => column?.field)).toEqual(
      "name email phone street zip city country website".split(" "),
    );
  });

  test("are found by the names that other programs, exports and the earlier system use", () => {
    const { columns, leftOut } = planColumns(
      "Company Name,E-Mail,phone_1,reviews_count,place_id,Postal Code,company_hash,all_emails".split(
        ",",
      ),
    );
    expect(columns.map((column) => column?.field)).toEqual([
      "name",
      "email",
      "phone",
      "reviews",
      "place",
      "zip",
      undefined,
      "email",
    ]);
    expect(leftOut).toEqual(["company_hash"]);
  });

  test("manually: COLUMN=FIELD decides, COLUMN= leaves it out", () => {
    const mappings = ["Firma=name", "name=", "a=b=x/ab"];
    const { columns, leftOut } = planColumns(["Firma", "name", "a=b", "zzz"], { mappings });
    expect(columns.map((column) => column?.field)).toEqual(["name", undefined, "x/ab", undefined]);
    expect(leftOut).toEqual(["zzz"]);
  });

  test("a mapping of no column, or to no field, names what there is", () => {
    expect(() => planColumns(["a"], { mappings: ["b=name"] })).toThrow(
      "there is no column 'b'; there are: a",
    );
    expect(() => planColumns(["a"], { mappings: ["a=emial"] })).toThrow("the nearest is email");
    expect(() => planColumns(["a"], { mappings: ["a"] })).toThrow("not COLUMN=FIELD");
  });

  test("two columns for one value: the user's, else the first; the other is reported", () => {
    const fields = (headers: string[], mappings: string[] = []) => {
      const { columns, leftOut } = planColumns(headers, { mappings });
      return [columns.map((column) => column?.field), leftOut];
    };
    expect(fields(["Name", "Name"])).toEqual([["name", undefined], ["Name"]]);
    expect(fields(["Company", "Name"])).toEqual([["name", undefined], ["Name"]]);
    expect(fields(["Company", "Name"], ["Name=name"])).toEqual([[undefined, "name"], ["Company"]]);
    expect(fields(["Phone", "Mobile"])).toEqual([["phone", "phone"], []]);
  });

  test("others are kept under a name that YAML takes, where that is wanted", () => {
    const { columns } = planColumns(["Umsatz (T€)", "  "], { keepsOthers: true });
    expect(columns.map((column) => column?.field)).toEqual(["x/umsatz-t", undefined]);
  });
});

describe("a line of an import", () => {
  test("becomes fields as the ledger stores them", () => {
    const { fields, problems } = read({
      Company: " Müller GmbH ",
      Website: "www.Mueller.example/kontakt",
      Emails: "Info@Mueller.example; sales@mueller.example",
      Phone: "089 / 123456",
      Country: "DE",
      Categories: "Plumbing, heating; Roofs",
      Tags: "vip, neu",
      Rating: "4,5",
      Facebook: "facebook.com/mueller",
      Notes: "called twice",
      Umsatz: "12",
      Empty: "",
    });
    expect(problems).toEqual([]);
    expect(fields).toEqual({
      name: "Müller GmbH",
      website: "https://www.mueller.example/kontakt",
      domain: "mueller.example",
      "email/info@mueller.example": true,
      "email/sales@mueller.example": true,
      "phone/+4989123456": true,
      country: "DE",
      "category/Plumbing, heating": true,
      "category/Roofs": true,
      "tag/vip": true,
      "tag/neu": true,
      rating: 4.5,
      "social/facebook": "https://facebook.com/mueller",
      [Object.keys(fields).find((field) => field.startsWith("note/"))!]: {
        at,
        text: "called twice",
      },
      "x/umsatz": "12",
    });
  });

  test("what cannot be read is reported and left out, the rest counts", () => {
    const { fields, problems } = read({ name: "A", email: "nobody", phone: "123", rating: "good" });
    expect(fields).toEqual({ name: "A" });
    expect(problems).toEqual([
      "email: 'nobody' is not an e-mail address",
      "phone: '123' is not a phone number, or has no country code: --country says which",
      "rating: 'good' is not a number",
    ]);
  });

  test("a page on somebody else's site is not a domain of the company", () => {
    expect(read({ website: "https://www.facebook.com/abc" }).fields).toEqual({
      website: "https://www.facebook.com/abc",
    });
  });

  test("JSON has lists, and objects with the parts of an address", () => {
    const { fields } = read({
      emails: [{ value: "A@b.example", label: "boss", url: "https://b.example/" }, "c@d.example"],
      rating: 4,
    });
    expect(fields).toEqual({
      "email/a@b.example": { label: "boss", url: "https://b.example/" },
      "email/c@d.example": true,
      rating: 4,
    });
  });

  test("a formula's guard is taken off", () => {
    expect(read({ name: "'=Formula Ltd" }).fields).toEqual({ name: "=Formula Ltd" });
  });
});

describe("values", () => {
  test.each([
    ["mailto:A.B@C.example?subject=x", "a.b@c.example"],
    ["E-Mail: x@y.example", "x@y.example"],
    ["jürgen@exämple.example", "jürgen@xn--exmple-cua.example"],
    ["a@b", undefined],
    ["a b@c.example", undefined],
    ["a@b.example/../c", undefined],
    ["x@@y.example", undefined],
  ])("e-mail %s", (text, expected) => expect(readEmail(text)).toBe(expected));

  test.each([
    ["+1 (512) 555-0100", undefined, "+15125550100"],
    ["512-555-0100", "us", "+15125550100"],
    ["512-555-0100", undefined, undefined],
    ["tel:+49 89 123456", undefined, "+4989123456"],
    ["no number", "US", undefined],
    ["512-555-0100", "zz", undefined],
  ])("phone %s in %s", (text, country, expected) =>
    expect(readPhone(text, country)).toBe(expected),
  );

  test.each([
    ["https://www.Example.org:8080/a", "example.org"],
    ["exämple.org", "xn--exmple-cua.org"],
    ["localhost", undefined],
    ["10.0.0.1", undefined],
    ["javascript:alert(1)", undefined],
    ["two words", undefined],
  ])("domain %s", (text, expected) => expect(readDomain(text)).toBe(expected));

  test.each([
    ["1,234", 1234],
    ["4,5", 4.5],
    ["1,234,567.8", 1_234_567.8],
    ["-97.7431", -97.7431],
    ["1e3", undefined],
    ["", undefined],
  ])("number %s", (text, expected) => expect(readNumber(text)).toBe(expected));

  test.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20 09:30", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30+01:00", "2026-11-20T08:30:00.000Z"],
    ["2026-13-20", undefined],
    ["tomorrow", undefined],
  ])("moment %s", (text, expected) => expect(readMoment(text)).toBe(expected));
});
