import { expect, test } from "vitest";
import { sampleCompany } from "../testing/sample-records.ts";
import { compared } from "./compare-companies.ts";
import { judgePair } from "./judge-pair.ts";
import { labelledPairs, type LabelledPair } from "../testing/labelled-pairs.ts";

const metresPerDegree = 111_195;

function verdictOf({ a, b, metres, streets, phones, domains }: LabelledPair) {
  const side = (name: string, at: 0 | 1) =>
    sampleCompany(at === 0 ? "osm.node.1" : "overture.a", {
      name,
      texts: {
        place: at === 0 ? "osm/node/1" : "overture/a",
        ...(streets && { street: streets[at] }),
        ...(domains && { domain: domains[at] }),
      },
      numbers: { latitude: 48 + (at * metres) / metresPerDegree, longitude: 11 },
      phones: phones ? [{ value: phones[at] }] : [],
    });
  const [one, other] = [compared(side(a, 0)), compared(side(b, 1))];
  return judgePair({ ...one, isChain: false }, { ...other, isChain: false }).verdict;
}

const reported = ({ a, b, metres }: LabelledPair) => `${a} | ${b} | ${metres} m`;

test("of 76 labelled pairs, at least 94 % of those that are merged without asking are one business", () => {
  const merged = labelledPairs.filter((pair) => verdictOf(pair) === "same");
  const right = merged.filter(({ isSame }) => isSame);
  const all = labelledPairs.filter(({ isSame }) => isSame);
  const wrong = merged.filter(({ isSame }) => !isSame).map(reported);
  expect(right.length / merged.length, wrong.join("\n")).toBeGreaterThanOrEqual(0.94);
  expect(right.length / all.length, `found ${right.length} of ${all.length}`).toBeGreaterThanOrEqual(0.75); // prettier-ignore
});

test("what a person must decide is asked, and what is plainly different is not", () => {
  const asked = labelledPairs.filter((pair) => verdictOf(pair) === "review");
  const silent = labelledPairs.filter((pair) => verdictOf(pair) === "different");
  expect(asked.length).toBeGreaterThan(0);
  // Of the pairs that are not reported, few are the same business: renamed ones, and other scripts.
  expect(silent.filter(({ isSame }) => isSame).length).toBeLessThanOrEqual(8);
});

test("a house that is named after an @ is not the name of the business in it", () => {
  const inside = labelledPairs.filter(({ b }) => b.includes("@"));
  expect(inside.map(verdictOf)).toEqual(["different", "different"]);
});
