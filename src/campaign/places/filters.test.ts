// inputs: src/campaign/** src/sources/** src/extract/** src/base/** src/records/**
import { describe, expect, test } from "vitest";
import type { Place } from "../../sources/index.ts";
import { companyFacts } from "./company-fields.ts";
import { filterOfPlace, filtersSchema, type PlaceFilters } from "./filters.ts";
import { parseCampaign } from "../config/parse-campaign.ts";

const given = (filters: Parameters<typeof filtersSchema.parse>[0]): PlaceFilters =>
  filtersSchema.parse(filters);
const rejectedBy = (filters: PlaceFilters | undefined, more: Partial<Place>) => {
  const place: Place = { id: "p/1", name: "A", ...more };
  return filterOfPlace(filters, place, companyFacts(place));
};

describe("F3: filters before spending", () => {
  test("a website that cannot be read is none", () => {
    expect(rejectedBy(given({ website: true }), { website: "a.example" })).toBeUndefined();
    expect(rejectedBy(given({ website: true }), { website: "not a website" })).toBe("website");
    expect(rejectedBy(given({ website: false }), { website: "a.example" })).toBe("website");
    expect(rejectedBy(given({ website: false }), {})).toBeUndefined();
  });

  test("phone, chain, rating and reviews", () => {
    expect(rejectedBy(given({ phone: true }), {})).toBe("phone");
    expect(rejectedBy(given({ phone: true }), { phones: ["+49 89 123456"] })).toBeUndefined();
    expect(rejectedBy(given({ chains: false }), { brand: "A" })).toBe("chain");
    expect(rejectedBy(given({}), { brand: "A" })).toBeUndefined();
    expect(rejectedBy(given({ ratingMin: 4 }), { rating: 4 })).toBeUndefined();
    expect(rejectedBy(given({ ratingMin: 4 }), {})).toBe("rating");
    expect(rejectedBy(given({ reviewsMin: 10 }), { reviews: 9 })).toBe("reviews");
  });

  test("open: a place that is closed for a time is rejected, or alone wanted", () => {
    const closed = { temporarilyClosed: true as const };
    expect(rejectedBy(given({ open: true }), closed)).toBe("open");
    expect(rejectedBy(given({ open: true }), {})).toBeUndefined();
    expect(rejectedBy(given({ open: false }), {})).toBe("open");
    expect(rejectedBy(given({ open: false }), closed)).toBeUndefined();
    expect(rejectedBy(given({}), closed)).toBeUndefined();
  });

  test("categories and tags, in any case", () => {
    const filters = given({ categories: { only: ["Plumber", "craft=hvac"], not: ["shop=trade"] } });
    expect(rejectedBy(filters, { categories: ["plumber"] })).toBeUndefined();
    expect(rejectedBy(filters, { tags: ["craft=hvac"] })).toBeUndefined();
    expect(rejectedBy(filters, { tags: ["craft=hvac", "shop=trade"] })).toBe("category");
    expect(rejectedBy(filters, {})).toBe("category");
  });

  test("a polygon that is not convex", () => {
    const polygon = [[0, 0], [10, 0], [10, 10], [5, 2], [0, 10]]; // prettier-ignore
    const filters = given({ polygon });
    const at = (longitude: number, latitude: number) =>
      rejectedBy(filters, { latitude, longitude });
    expect(at(5, 1)).toBeUndefined();
    expect(at(1, 7)).toBeUndefined();
    expect(at(5, 5)).toBe("polygon");
    expect(at(11, 1)).toBe("polygon");
    expect(rejectedBy(filters, {})).toBe("polygon");
  });

  test("without filters nothing is rejected", () => {
    expect(rejectedBy(undefined, {})).toBeUndefined();
  });

  test("they are a table of the campaign, and what is wrong in it is said", () => {
    const head = 'phrases = ["x"]\n[[locations]]\nname = "A"\nlat = 1\nlon = 1\n[filters]\n';
    const parse = (text: string) => parseCampaign("c", "c.toml", head + text).filters;
    expect(parse("website = true\nchains = false")).toMatchObject({ website: true, chains: false });
    expect(() => parse('website = "yes"')).toThrow("filters.website must be true");
    expect(() => parse("websites = true")).toThrow("filters.websites");
    expect(() => parse("polygon = [[0, 0]]")).toThrow("at least three corners");
  });
});
