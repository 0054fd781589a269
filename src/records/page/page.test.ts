import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { TargetView } from "../../ledger/index.ts";
import { listPrefixes, numberFields, textFields } from "../fields/fields.ts";
import { isAsWritten, revIn, splitSheet, writePage } from "./front-matter.ts";
import { changesOf } from "../ingest/hand-edit.ts";
import { layoutOf } from "../files/layout.ts";
import { factsOf, pageOf, type Links } from "./page.ts";
import { parsePage } from "./parse-page.ts";
import { addRender, findBase } from "./side-file.ts";

const layout = layoutOf("company");
const links: Links = {
  textOf: (target) => target,
  targetOf: (_, text) => (text.startsWith("person/") ? text : undefined),
};
const node = "0123456789abc";
const session = "0123456789abcdefghjkmnpqrs";

const viewOf = (fields: Readonly<Record<string, unknown>>): TargetView => ({
  target: "company/acme.com",
  isForgotten: false,
  mergedInto: undefined,
  conflicts: [],
  fields: Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value], at) => ({
      field,
      value,
      source: "system",
      stamp: "2026-01-01T00:00:00.000Z-0000",
      node,
      dot: `${node}/${session}/${at + 1}`,
    })),
});

/**
 * Words with a meaning in YAML, marks of Markdown and of Forager, other scripts, unpaired
 * surrogates.
 */
const oddText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    "no",
    "1e3",
    "01234",
    "null",
    "~",
    "- a",
    "a: b",
    "a #b",
    "---",
    "---\n---\nrev: 1",
    "\ufeffa",
    "rev: 0123456789abcdef",
    "<<<<<<< a\n=======\n>>>>>>> b",
    "a\r\nb\rc",
    " a ",
    "\u2028\u0085",
    "&a",
    "*a",
    "!!js/function 'x'",
    "{{x}}",
    "\ud800",
    "\0",
    "0x1f",
    "2026-01-01",
    "'",
    '"',
    "|",
    ">",
  ),
);
const someText = oddText.filter((text) => text !== "");
/** Text that the ledger accepts as a field name. */
const element = oddText.filter(
  (text) =>
    text !== "" &&
    !/\p{Surrogate}/u.test(text) &&
    !/\p{Cc}|^\.{1,2}$|\//u.test(text) &&
    text.trim() === text,
);
/** As the ledger returns it: it has no negative zero. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => value !== null)
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const anyFields = fc
  .tuple(
    fc.dictionary(fc.constantFrom("name", "description", ...textFields), someText),
    fc.dictionary(
      fc.constantFrom(...numberFields),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    ),
    fc.dictionary(
      fc
        .tuple(fc.constantFrom(...Object.values(listPrefixes)), element)
        .map(([prefix, text]) => prefix + text),
      fc.constantFrom(true, { label: "x" }),
    ),
    fc.dictionary(fc.constantFrom("social/facebook", "social/x_y"), someText),
    fc.dictionary(
      element.map((text) => `x/${text}`),
      json,
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);

describe("a file", () => {
  test("render, read, compare: nothing has changed, whatever the values are", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const view = viewOf(fields);
        const page = pageOf(layout, view, links);
        const text = writePage(page, "acme.com");
        const shown = factsOf(layout, page, links);
        const parsed = parsePage(layout, Buffer.from(text));
        const reported = { rev: revIn(text)!, isHandmade: false, fields: view.fields, shown };
        const base = findBase(addRender(undefined, reported, undefined), reported.rev);
        const facts = factsOf(layout, parsed.page, links);
        expect(isAsWritten(text)).toBe(true);
        expect(parsed).toMatchObject({ id: "acme.com", rev: reported.rev });
        expect(changesOf({ target: view.target, base, facts, view })).toEqual([]);
        expect(new Map(facts)).toEqual(new Map(shown));
      }),
      { numRuns: 200 },
    );
  });

  test("front matter is flat YAML 1.2 that another reader reads alike", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const page = pageOf(layout, viewOf(fields), links);
        const { head } = splitSheet(writePage(page, "acme.com"))!;
        const read = parse(head, { version: "1.2", mapAsMap: true }) as Map<string, unknown>;
        read.delete("id");
        read.delete("rev");
        const plain = JSON.parse(JSON.stringify([...page.keys])) as unknown;
        const asJson = (value: unknown): unknown =>
          value instanceof Map
            ? Object.fromEntries([...value].map(([key, one]) => [String(key), asJson(one)]))
            : Array.isArray(value)
              ? value.map(asJson)
              : value;
        expect([...read].map(([key, value]) => [key, asJson(value)])).toEqual(plain);
      }),
      { numRuns: 100 },
    );
  });

  test("a letter more or less, anywhere, and it is not as we wrote it", () => {
    const text = writePage(pageOf(layout, viewOf({ name: "Acme", city: "Köln" }), links), "a");
    for (let at = 0; at < text.length; at++) {
      expect(isAsWritten(text.slice(0, at) + text.slice(at + 1))).toBe(false);
      expect(isAsWritten(`${text.slice(0, at)}x${text.slice(at)}`)).toBe(false);
    }
    expect(isAsWritten(text)).toBe(true);
  });

  test("the side file keeps eight renders and finds each by its rev", () => {
    let side: string | undefined;
    const shown = new Map([["name", "Acme"]]);
    for (let number = 0; number < 12; number++) {
      const rev = number.toString(16).padStart(16, "0");
      const { fields } = viewOf({ name: `Acme ${number}` });
      side = addRender(side, { rev, isHandmade: number % 2 === 0, fields, shown }, undefined);
    }
    const found = Array.from({ length: 12 }, (_, number) =>
      findBase(side, number.toString(16).padStart(16, "0")),
    );
    expect(found.map((base) => base !== undefined)).toEqual([
      ...Array<boolean>(4).fill(false),
      ...Array<boolean>(8).fill(true),
    ]);
    expect(found.at(-1)).toMatchObject({ isHandmade: false });
    expect(found.at(-2)).toMatchObject({ isHandmade: true });
  });

  test("the render that the file on the disk began with stays, while none takes its place", () => {
    let side: string | undefined;
    const revs = Array.from({ length: 12 }, (_, number) => number.toString(16).padStart(16, "0"));
    const { fields } = viewOf({ name: "Acme" });
    for (const rev of revs) {
      side = addRender(side, { rev, isHandmade: false, fields, shown: new Map() }, revs[0]);
    }
    const kept = revs.filter((rev) => findBase(side, rev));
    expect(kept).toEqual([revs[0], ...revs.slice(-7)]);
  });
});
