// inputs: src/sources/** src/base/**
import { describe, expect, test } from "vitest";
import type { Place } from "../place.ts";
import { compilePhrases } from "./match-places.ts";
import { createPhraseMatcher } from "./phrase-matcher.ts";

const place = (name: string, more: Partial<Place> = {}): Place => ({ id: "1", name, ...more });
const finds = (phrase: string, one: Place, languages: readonly string[] = ["en"]) =>
  compilePhrases([phrase], createPhraseMatcher({ languages })).matching(one).length === 1;

describe("a place is found", () => {
  test("by its tags, whatever it is called", () => {
    expect(finds("plumber", place("Rohr & Co", { tags: ["craft=plumber"] }))).toBe(true);
    expect(finds("Fliesenleger", place("Meyer", { tags: ["craft=tiler"] }), ["de"])).toBe(true);
    expect(finds("plumber", place("Rohr & Co", { tags: ["craft=tiler"] }))).toBe(false);
  });

  test("only with all tags that are needed", () => {
    const tags = ["amenity=restaurant", "cuisine=pizza"];
    expect(finds("pizza restaurant", place("Da Gino", { tags }))).toBe(true);
    expect(finds("pizza restaurant", place("Da Gino", { tags: tags.slice(0, 1) }))).toBe(false);
  });

  test("by its category, in the words of any file", () => {
    expect(finds("plumber", place("X", { categories: ["Plumbing contractors"] }))).toBe(true);
    expect(finds("pest control", place("X", { categories: ["pest_control_service"] }))).toBe(true);
    expect(finds("plumber", place("X", { categories: ["Klempner"] }), ["de"])).toBe(true);
    expect(finds("plumber", place("X", { categories: ["Bakery"] }))).toBe(false);
  });

  test("by the words of its name, categories and description, and what is akin to them", () => {
    expect(finds("plumber", place("Smith Plumbing Inc"))).toBe(true);
    expect(finds("cafe muller", place("Café Müller"))).toBe(true);
    expect(finds("heating engineer", place("X", { categories: ["heating engineers"] }))).toBe(true);
    expect(finds("dentist", place("X", { description: "We are dentists." }))).toBe(true);
    expect(finds("bar", place("Barber"))).toBe(false);
    expect(finds("plumber", place("Plum trees"))).toBe(false);
    expect(finds("heating engineer", place("Heating"))).toBe(false);
    expect(finds("", place("Anything"))).toBe(false);
  });

  test("by each of several phrases, each told once, in their order", () => {
    const phrases = ["dentist", "plumber", "heating"];
    const compiled = compilePhrases(phrases, createPhraseMatcher());
    const both = place("Plumber and Dentist", { tags: ["craft=plumber"], categories: ["plumber"] });
    expect(compiled.matching(both)).toEqual([0, 1]);
    expect(compiled.matching(place("Bakery"))).toEqual([]);
  });
});
