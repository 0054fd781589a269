// inputs: src/sources/** src/base/**
import { expect, test } from "vitest";
import { countryAt, countryCodeOf } from "./country-at.ts";

test("a country is known by its code and by its name in many languages", () => {
  const names = {
    DE: ["de", "DEU", "Deutschland", "Germany", "Allemagne", "Alemania", "ドイツ", "германия"],
    FR: ["FR", "France", "Frankreich", "Francia"],
    US: ["us", "USA", "U.S.A.", "United States", "Vereinigte Staaten", "États-Unis"],
    GB: ["UK", "England", "Great Britain", "Vereinigtes Königreich"],
    AT: ["Österreich", "Osterreich", "Austria"],
    MM: ["Myanmar (Burma)"],
  };
  for (const [code, texts] of Object.entries(names)) {
    for (const text of texts) expect(countryCodeOf(text), text).toBe(code);
  }
  for (const text of ["", "XX", "DD", "Atlantis", "Bavaria"]) {
    expect(countryCodeOf(text), text).toBeUndefined();
  }
});

test("the country of a point is known offline", () => {
  expect(countryAt({ latitude: 48.137, longitude: 11.575 })).toBe("DE");
  expect(countryAt({ latitude: 30.267, longitude: -97.743 })).toBe("US");
  expect(countryAt({ latitude: 47.8, longitude: 13.04 })).toBe("AT");
  expect(countryAt({ latitude: 30, longitude: -40 })).toBeUndefined();
});
