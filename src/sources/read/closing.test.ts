import { describe, expect, test } from "vitest";
import { closingOf } from "./closing.ts";
import { readRow } from "./read-place.ts";

describe("E8: what is closed", () => {
  test.each([
    { operating_status: "permanently_closed" },
    { business_status: "CLOSED_PERMANENTLY" },
    { "Business Status": "Permanently closed" },
    { "business status": "closed permanently" },
    { status: "closed" },
    { Status: "Closed" },
    { permanently_closed: true },
    { permanentlyClosed: "true" },
    { is_closed: 1 },
    { closed: "yes" },
    { Closed: "Permanently" },
    { date_closed: "2024-01-01" },
    { unresolved_flags: ["closed"] },
    { unresolved_flags: "{doesnt_exist}" },
    { "disused:shop": "bakery" },
    { "abandoned:industrial": "works" },
    { shop: "bakery", disused: "yes" },
    { shop: "vacant" },
    { opening_hours: "off" },
    { opening_hours: "Mo-Su closed" },
  ])("for good: %j", (row) => {
    expect(closingOf(row)).toBe("for good");
    expect(readRow({ name: "A", lat: 1, lon: 1, ...row })).toEqual({ kind: "closed" });
  });

  test.each([
    { operating_status: "temporarily_closed" },
    { business_status: "CLOSED_TEMPORARILY" },
    { status: "Temporarily closed" },
    { temporarilyClosed: true },
    { closed: "temporarily" },
    { opening_hours: 'off "renovation"' },
  ])("for a time: %j", (row) => {
    const read = readRow({ name: "A", lat: 1, lon: 1, ...row });
    expect(read).toMatchObject({ kind: "place", place: { temporarilyClosed: true } });
  });

  test.each([
    { operating_status: "open" },
    { business_status: "OPERATIONAL" },
    { status: "active" },
    { status: "closed won" },
    { permanently_closed: false },
    { is_closed: "0" },
    { closed: "Sundays" },
    { date_closed: "" },
    { unresolved_flags: "[]" },
    { amenity: "cafe", "disused:shop": "bakery" },
    { amenity: "restaurant", shop: "no" },
    { club: "sport", "was:amenity": "pub" },
    { "disused:name": "Old name" },
    { opening_hours: "Mo-Fr 09:00-17:00; Su off" },
  ])("open: %j", (row) => {
    const read = readRow({ name: "A", lat: 1, lon: 1, ...row });
    expect(read).toMatchObject({ kind: "place" });
    expect(read).not.toHaveProperty("place.temporarilyClosed");
  });
});
