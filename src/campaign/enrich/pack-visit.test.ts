import fc from "fast-check";
import { expect, test } from "vitest";
import { isAllowedByRobots, startVisit, type RobotsRule, type Visit } from "../../crawl/index.ts";
import { notesBytesMax, packVisit, pagesBytesMax } from "./pack-visit.ts";

const origin = "https://acme.example";
const visit = startVisit({ url: `${origin}/`, nowMs: 0 });
const withRules = (rules: readonly RobotsRule[]): Visit => ({
  ...visit,
  robotsByOrigin: { [origin]: { state: "read", robots: { rules, sitemaps: [] }, atMs: 0 } },
});
const rulesOf = ({ robotsByOrigin }: Visit) => {
  const note = robotsByOrigin[origin]!;
  return note === "asked" ? { rules: [], sitemaps: [] } : note.robots;
};

test("a visit that is small enough travels as it is", () => {
  const small = withRules([{ allow: false, pattern: "/x" }]);
  expect(packVisit(small)).toEqual(small);
});

test("lesson 48: rules that are too many to carry become stricter, never laxer", () => {
  const piece = fc.stringMatching(/^[a-c*/]{0,12}$/);
  const pattern = fc
    .tuple(piece, fc.constantFrom("", "$"))
    .map(([text, end]) => `/${text}${"d".repeat(60)}${end}`);
  const rule = fc.record({ allow: fc.boolean(), pattern });
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 5 }), piece, (some, path) => {
      const filler = Array.from({ length: 400 }, (_, at) => ({
        allow: false,
        pattern: `/zz${at}${"z".repeat(80)}`,
      }));
      const rules = [...some, ...filler].sort(
        (a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow),
      );
      const full = withRules(rules);
      const packed = packVisit(full);
      expect(JSON.stringify(rulesOf(packed).rules).length).toBeLessThanOrEqual(notesBytesMax);
      for (const end of ["", "d".repeat(60), "d".repeat(61)]) {
        const url = `${origin}/${path}${end}`;
        if (isAllowedByRobots(rulesOf(packed), url)) {
          expect(isAllowedByRobots(rulesOf(full), url)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("lesson 49: pages without end do not make the payload endless; what was decided stays", () => {
  const pages = Array.from({ length: 1_000 }, (_, at) => ({
    url: `${origin}/?page=${at}&${"q".repeat(500)}`,
    priority: at / 1_000,
    state: at % 100 === 0 ? ("found" as const) : ("waiting" as const),
  }));
  const contact = { url: `${origin}/contact`, priority: 0, worth: "contact" as const };
  const packed = packVisit({ ...visit, pages: [...pages, { ...contact, state: "waiting" }] });
  expect(JSON.stringify(packed.pages).length).toBeLessThan(pagesBytesMax * 1.1);
  expect(packed.pages.filter(({ state }) => state === "found")).toHaveLength(10);
  expect(packed.pages.map(({ url }) => url)).toContain(contact.url);
});
