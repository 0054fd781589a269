// inputs: src/sources/** src/base/**
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Place } from "../place.ts";
import { pointOfGeometry, pointOfWkt } from "./geometry.ts";
import { readJsonPlace, readRow } from "./read-place.ts";
import { degreesOf } from "./read-values.ts";

const placeOf = (value: unknown): Place => {
  const read = readJsonPlace(JSON.stringify(value));
  if (read.kind !== "place") throw new Error(JSON.stringify(read));
  return read.place;
};
const at = { name: "A", lat: 48.15, lon: 11.55 };
const feature = (geometry: unknown, properties: object = { name: "A" }) => ({
  type: "Feature",
  geometry,
  properties,
});

describe("a record", () => {
  test("lesson 38: words that stand for nothing are nothing, and numbers are numbers", () => {
    const place = placeOf({
      ...at,
      rating: "4.5",
      reviews: "many",
      website: "None",
      phone: "+49 89 1; +49 89 2",
      city: " ",
      zip: 80331,
    });
    expect(place).toMatchObject({ rating: 4.5, phones: ["+49 89 1", "+49 89 2"], zip: "80331" });
    for (const field of ["reviews", "website", "city"]) expect(place).not.toHaveProperty(field);
    expect(place.unread).toEqual([{ field: "reviews", value: "many" }]);
    const percent = placeOf({ ...at, rating: 88, confidence: "high" });
    expect(percent.unread).toEqual([
      { field: "rating", value: "88" },
      { field: "confidence", value: "high" },
    ]);
  });

  test("of OpenStreetMap: nothing that can be read is dropped", () => {
    const place = placeOf(
      feature(
        { type: "Point", coordinates: [11.55, 48.15] },
        {
          "@id": "node/240109189",
          name: "Rohr Müller",
          craft: "plumber;hvac",
          shop: "yes",
          phone: "+49 89 1;+49 89 2",
          "contact:phone": "+49 89 3",
          "contact:mobile": "+49 171 4",
          fax: "+49 89 5",
          email: "a@x.example",
          "contact:email": "b@x.example",
          website: "https://a.example;https://b.example",
          "contact:facebook": "https://www.facebook.com/rohr",
          "contact:instagram": "@rohr",
          operator: "Müller GmbH",
          brand: "Rohr",
          "addr:street": "Hauptstraße",
          "addr:housenumber": "12",
          "addr:unit": "4",
          "addr:postcode": "80331",
          "addr:city": "München",
          opening_hours: "Mo-Fr 08:00-17:00",
        },
      ),
    );
    expect(place).toEqual({
      id: "osm/node/240109189",
      name: "Rohr Müller",
      latitude: 48.15,
      longitude: 11.55,
      street: "Hauptstraße 12, Unit 4",
      city: "München",
      zip: "80331",
      website: "https://a.example",
      websites: ["https://b.example"],
      phones: ["+49 89 1", "+49 89 2", "+49 89 3", "+49 171 4"],
      faxes: ["+49 89 5"],
      emails: ["a@x.example", "b@x.example"],
      socials: ["facebook:https://www.facebook.com/rohr", "instagram:@rohr"],
      operator: "Müller GmbH",
      brand: "Rohr",
      categories: ["plumber", "hvac"],
      tags: ["craft=plumber", "craft=hvac"],
      hours: "Mo-Fr 08:00-17:00",
    });
  });

  test("the house number stands where people write it there; a hamlet stands for a street", () => {
    const street = (more: object) => placeOf({ ...at, ...more }).street;
    const parts = { "addr:street": "Main St", "addr:housenumber": "12" };
    expect(street({ ...parts, lat: 30.27, lon: -97.74 })).toBe("12 Main St");
    expect(street({ ...parts, "addr:country": "Deutschland" })).toBe("Main St 12");
    expect(street({ ...parts, "addr:street": "12 Main St" })).toBe("12 Main St");
    expect(street({ "addr:place": "Hinterdorf", "addr:housenumber": "3a" })).toBe("Hinterdorf 3a");
  });

  test("without a name it is called by its operator or brand", () => {
    expect(placeOf({ lat: 1, lon: 2, operator: "Post AG" }).name).toBe("Post AG");
    expect(placeOf({ lat: 1, lon: 2, brand: "Shell" }).name).toBe("Shell");
    expect(readJsonPlace('{"lat":1,"lon":2}')).toEqual({
      kind: "bad",
      reason: "it has no name, no operator and no brand",
    });
  });

  test("of Overture: structures come to the top, and what is closed is not a place", () => {
    const row = {
      id: "08f2",
      names: { primary: "Cafe X", common: null },
      taxonomy: { primary: "coffee_shop", alternates: ["cafe"] },
      addresses: [{ freeform: "1 Main St", locality: "Austin", region: "TX", country: "US" }],
      websites: ["https://x.example/"],
      socials: ["https://www.facebook.com/x"],
      phones: ["+15125550100"],
      brand: { names: { primary: "X Inc" } },
      confidence: 0.9,
      geometry: { type: "Point", coordinates: [-97.74, 30.27] },
    };
    expect(placeOf(row)).toMatchObject({
      name: "Cafe X",
      categories: ["coffee_shop", "cafe"],
      street: "1 Main St",
      city: "Austin",
      country: "US",
      website: "https://x.example/",
      socials: ["https://www.facebook.com/x"],
      brand: "X Inc",
      confidence: 0.9,
      latitude: 30.27,
    });
    const closed = { ...row, operating_status: "permanently_closed" };
    expect(readJsonPlace(JSON.stringify(closed))).toEqual({ kind: "closed" });
  });

  test("ids of OpenStreetMap are one, however a program spells them", () => {
    const id = (value: unknown, more = {}) => placeOf({ ...at, id: value, ...more }).id;
    const shop = { shop: "yes" };
    expect([id("n7", shop), id("node/7"), id("osm/node/7"), id(7, { osm_type: "node" })]).toEqual(
      Array.from({ length: 4 }, () => "osm/node/7"),
    );
    expect([id("w7", { "addr:city": "x" }), id("a14", shop), id("a15", shop), id("r7", { full_id: "r7" })]).toEqual(
      ["osm/way/7", "osm/way/7", "osm/relation/7", "osm/relation/7"],
    ); // prettier-ignore
    // Of a list of one's own.
    for (const own of ["shop-7", "n/7", "a/1", "A1", "w7", "r 7"]) expect(id(own)).toBe(own);
    expect(id("n/7", shop)).toBe("n/7");
  });

  test("without an id it has one of its own, the same wherever it stands", () => {
    const [a, b, c] = [
      placeOf({ name: "A", lat: 1, lon: 2 }),
      placeOf({ lon: 2, lat: 1.000000001, name: "A", city: "X" }),
      placeOf({ name: "A", lat: 1.1, lon: 2 }),
    ];
    expect(a.id).toMatch(/^file\/[0-9a-f]{20}$/);
    expect(b.id).toBe(a.id);
    expect(c.id).not.toBe(a.id);
  });

  test("whatever the bytes, it is a place, closed or bad; nothing is thrown", () => {
    const json = fc.jsonValue().map((one) => JSON.stringify(one));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), json), (text) => {
        expect(["place", "closed", "bad"]).toContain(readJsonPlace(text).kind);
      }),
    );
  });
});

describe("where it is", () => {
  test("any geometry has a point: the middle of its box", () => {
    const square = [[[11, 48], [12, 48], [12, 49], [11, 49], [11, 48]]]; // prettier-ignore
    expect(placeOf(feature({ type: "Polygon", coordinates: square }))).toMatchObject({
      latitude: 48.5,
      longitude: 11.5,
    });
    expect(pointOfGeometry({ type: "MultiPolygon", coordinates: [square] })).toEqual({
      latitude: 48.5,
      longitude: 11.5,
    });
    const line = { type: "LineString", coordinates: [[0, 0], [2, 4]] }; // prettier-ignore
    expect(pointOfGeometry(line)).toEqual({ latitude: 2, longitude: 1 });
    const both = { type: "GeometryCollection", geometries: [line, { type: "Point", coordinates: [4, 0] }] }; // prettier-ignore
    expect(pointOfGeometry(both)).toEqual({ latitude: 2, longitude: 2 });
    const across = { type: "LineString", coordinates: [[179, 10], [-179, 10]] }; // prettier-ignore
    expect(Math.abs(pointOfGeometry(across)!.longitude)).toBe(180);
    for (const none of [null, {}, { type: "Point", coordinates: [] }, { coordinates: "x" }]) {
      expect(pointOfGeometry(none)).toBeUndefined();
    }
  });

  test("WKT of any kind", () => {
    expect(pointOfWkt("POINT(11.5 48.1)")).toEqual({ latitude: 48.1, longitude: 11.5 });
    expect(pointOfWkt("SRID=4326;POINT Z (11.5 48.1 520)")).toEqual({ latitude: 48.1, longitude: 11.5 }); // prettier-ignore
    expect(pointOfWkt("POLYGON((0 0, 2 0, 2 4, 0 4, 0 0))")).toEqual({ latitude: 2, longitude: 1 });
    for (const text of ["", "POINT EMPTY", "hello", "11.5 48.1"]) {
      expect(pointOfWkt(text), text).toBeUndefined();
    }
  });

  test("degrees as people write them", () => {
    const near = (text: unknown) => Math.round((degreesOf(text) ?? NaN) * 1_000) / 1_000;
    expect(["48.137", "48,137", "48.137° N", `48°8'14"N`, "N 48.137", 48.137].map(near)).toEqual(
      [48.137, 48.137, 48.137, 48.137, 48.137, 48.137],
    ); // prettier-ignore
    expect(["97.743 W", "-97.743", `97°44'35"W`].map(near)).toEqual([-97.743, -97.743, -97.743]);
    for (const text of ["north", "", "48.1.2", "1,2,3"]) expect(degreesOf(text), text).toBe(undefined); // prettier-ignore
  });

  test("both in one cell, and points that are not on earth", () => {
    const point = (coordinates: string) => {
      const read = readRow({ name: "A", coordinates });
      return read.kind === "place" ? [read.place.latitude, read.place.longitude] : read;
    };
    for (const text of [
      "48.1,11.5",
      "48.1, 11.5",
      "48,1; 11,5",
      "(48.1 11.5)",
      "POINT(11.5 48.1)",
    ]) {
      expect(point(text), text).toEqual([48.1, 11.5]);
    }
    const reasonOf = (lat: number, lon: number) => readRow({ name: "A", lat, lon });
    expect(reasonOf(-97.7, 30.3)).toMatchObject({ reason: expect.stringContaining("swapped") as string }); // prettier-ignore
    expect(reasonOf(0, 0)).toMatchObject({ kind: "bad" });
    expect(reasonOf(91, 181)).toMatchObject({ reason: "its point is not on the earth" });
    expect(reasonOf(90, 180)).toMatchObject({ kind: "place" });
  });
});
