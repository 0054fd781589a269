// inputs: src/sources/** src/base/**
import { describe, expect, test } from "vitest";
import { findTowns, townText } from "./find-towns.ts";

const found = (text: string) => findTowns(text).map(townText);

describe("a town", () => {
  test("is found by its name, state and country, as people write them", () => {
    for (const text of [
      "Round Rock, TX",
      "round rock, texas",
      "Round Rock, TX, USA",
      "Round Rock",
    ]) {
      expect(found(text), text).toEqual(["Round Rock, TX, US"]);
    }
    expect(findTowns("Round Rock, TX")[0]).toMatchObject({
      latitude: 30.5083,
      longitude: -97.6789,
    });
    expect(found("Paris, France")).toEqual(["Paris, FR"]);
    expect(found("Paris, Frankreich")).toEqual(["Paris, FR"]);
    for (const text of ["München", "Munich, DE", "munchen, Deutschland".replace("u", "ü")]) {
      expect(found(text), text).toEqual(["Munich, DE"]);
    }
    expect(found("東京")).toEqual(["Tokyo, JP"]);
    expect(found("Koln, Germany")).toEqual(["Köln, DE"]);
  });

  test("a name of several towns is reported with all of them, the largest first", () => {
    const towns = found("Springfield");
    expect(towns.length).toBeGreaterThan(5);
    expect(towns).toContain("Springfield, IL, US");
    expect(found("Springfield, Illinois")).toEqual(["Springfield, IL, US"]);
    expect(found("Paris")[0]).toBe("Paris, FR");
    expect(found("Paris").length).toBeGreaterThan(1);
    const sizes = findTowns("Springfield").map(({ inhabitants }) => inhabitants);
    expect([...sizes].sort((a, b) => b - a)).toEqual(sizes);
  });

  test("is found by its short name, and by divisions of other countries", () => {
    expect(found("Washington, DC")).toEqual(["Washington, D.C., DC, US"]);
    expect(found("New York")).toEqual(["New York City, NY, US"]);
    expect(found("New York, NY")).toEqual(["New York City, NY, US"]);
    expect(found("Frankfurt")).toEqual(["Frankfurt am Main, DE", "Frankfurt (Oder), DE"]);
    expect(found("Frankfurt, Hessen")).toEqual(["Frankfurt am Main, DE"]);
    expect(found("Bad Homburg")).toEqual(["Bad Homburg vor der Höhe, DE"]);
    expect(found("Halle")[0]).toBe("Halle (Saale), DE");
    expect(found("London, Ontario")).toEqual(["London, CA"]);
    expect(found("London, ON, Canada")).toEqual(["London, CA"]);
    expect(found("Perth, WA")).toEqual(["Perth, AU"]);
    expect(found("Wien")).toEqual(["Vienna, AT"]);
    expect(found("constructor")).toEqual([]);
    expect(found("Munich, Bavaria")).toEqual(["Munich, DE"]);
  });

  test("that does not exist is not there", () => {
    expect(found("Nowhereville")).toEqual([]);
    expect(found("Round Rock, Germany")).toEqual([]);
    expect(found("")).toEqual([]);
  });
});
