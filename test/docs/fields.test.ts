// inputs: src/records/** src/base/** docs/formats/fields.md
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  listNames,
  listPrefixes,
  numberFields,
  textFields,
} from "../../src/records/fields/fields.ts";
import { columnValues } from "../../src/records/exchange/export-rows.ts";
import {
  exportColumnNames,
  fieldToUnset,
  planColumns,
  readFieldValues,
  type Company,
} from "../../src/records/index.ts";
import { layoutOf } from "../../src/records/files/layout.ts";
import { repositoryRoot } from "../support/repository.ts";

const networks = exportColumnNames.filter((name) =>
  ["facebook", "instagram", "linkedin", "twitter", "youtube"].includes(name),
);
/** Only machines write them, so an import leaves them out. */
const machineFields = new Set<string>(["enrichedAt", "foundAt"]);
/** In JSON beside the texts, since programs ask for them most. */
const ownKeys = new Set(["excluded", "callback"]);

const code = (text: string) => (text === "" ? "" : `\`${text}\``);
const csv = (field: string) => (exportColumnNames.includes(field) ? field : "");
const row = (...cells: readonly string[]) => `| ${cells.map(code).join(" | ")} |`;

/** File key, ledger field, CSV column, path in JSON. */
const expected = [
  row("name", "name", "name", "name"),
  ...textFields.map((field) =>
    row(field, field, csv(field), ownKeys.has(field) ? field : `texts.${field}`),
  ),
  ...numberFields.map((field) => row(field, field, csv(field), `numbers.${field}`)),
  ...listNames.map((name) => row(name, `${listPrefixes[name]}VALUE`, csv(name), name)),
  ...networks.map((name) => row(`social_${name}`, `social/${name}`, name, `socials.${name}`)),
  row("(the text)", "description", "description", "description"),
];

test("docs/formats/fields.md has every field as it is spelled in file, ledger, CSV and API", () => {
  const page = readFileSync(join(repositoryRoot, "docs", "formats", "fields.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(expected);
});

const profileSpellings = networks.flatMap((name) => [
  name,
  `social_${name}`,
  `social/${name}`,
  `socials.${name}`,
]);

test("each of the four spellings of a profile is understood by imports, exports, set and unset", () => {
  const record = { socials: {}, texts: {}, numbers: {} } as unknown as Company;
  for (const name of profileSpellings) {
    const network = networks.find((one) => name.endsWith(one))!;
    expect(planColumns([name]).columns, name).toMatchObject([{ field: network }]);
    expect(() => columnValues([name]), name).not.toThrow();
    const set = readFieldValues([[name, "https://x.example/acme"]], { kind: "company", isNew: false, country: undefined, nowMs: 0 }); // prettier-ignore
    expect(Object.keys(set), name).toEqual([`social/${network}`]);
    const held = { ...record, socials: { [network]: "https://x.example/acme" } };
    expect(fieldToUnset(held, name), name).toBe(`social/${network}`);
  }
  expect(fieldToUnset(record, "social_facebook")).toBe("social/facebook");
});

test("the spelling of each field in the file and in CSV is understood by an import", () => {
  const headers = [...textFields, ...numberFields, ...listNames].filter(
    (field) => !machineFields.has(field),
  );
  for (const header of [...headers, ...profileSpellings]) {
    expect(planColumns([header]).leftOut, header).toEqual([]);
  }
});

test("the keys of a company's file are these, those of links and our own", () => {
  const known = new Set([...textFields, ...numberFields, ...listNames, "name"] as string[]);
  const others = [...layoutOf("company").keys.keys()].filter((key) => !known.has(key));
  expect(others).toEqual(["people", "aliases", "id", "rev", "movedTo"]);
});

test("an export takes the spelling of earlier versions too", () => {
  for (const name of ["found", "read"]) expect(() => columnValues([name]), name).not.toThrow();
});
