/**
 * Flattens rows of well-known files: Overture's columns contain structures, a GeoJSON feature has
 * its point in its geometry, and OpenStreetMap programs write ids in several ways.
 */
import { pointOfGeometry } from "./geometry.ts";
import { tagKeys } from "./place-names.ts";

export type Row = Record<string, unknown>;

export function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a text if it is not a feature: the reason. */
export function rowOfFeature(feature: Row): Row | string {
  const { id, geometry, properties } = feature;
  if (geometry !== undefined && geometry !== null && !isObject(geometry)) {
    return "its geometry is not an object";
  }
  const point = pointOfGeometry(geometry);
  if (!point) return "it has no geometry with coordinates";
  const isText = typeof id === "string" || typeof id === "number";
  return { ...(isText ? { id } : {}), ...(isObject(properties) ? properties : {}), ...point };
}

/** Whether it is an element in the format of Overpass: type, id, and tags in an object. */
export const isElement = (row: Row): boolean =>
  typeof row["type"] === "string" &&
  /^(?:node|way|relation)$/.test(row["type"]) &&
  (isObject(row["tags"]) || "center" in row || "lat" in row);

/**
 * Returns a text if it is not usable: the reason. Ways and relations have a centre only if the
 * query asked for it.
 */
export function rowOfElement(element: Row): Row | string {
  const { type, id, tags, center } = element;
  const { lat, lon } = isObject(center) ? center : element;
  if (typeof lat !== "number" || typeof lon !== "number") return "it has no point and no centre";
  const own = isObject(tags) ? tags : {};
  return { ...own, id: `${String(type)}/${String(id)}`, latitude: lat, longitude: lon };
}

const structures = ["names", "categories", "taxonomy", "addresses", "brand", "geometry"];

/**
 * Overture and similar formats: moves values inside structures to the top. Flat rows stay as they
 * are.
 */
export function flattened(row: Row): Row {
  if (!structures.some((name) => typeof row[name] === "object")) return row;
  const flat: Row = { ...row };
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") flat[name] ??= value;
  };
  const { names, categories, taxonomy, addresses, brand, geometry } = row;
  if (isObject(names)) put("name", names["primary"]);
  if (isObject(taxonomy)) {
    const alternates = taxonomy["alternates"] ?? taxonomy["alternate"];
    flat["category"] = [taxonomy["primary"], ...listOf(alternates)].filter(Boolean);
  }
  if (isObject(categories)) {
    flat["categories"] = [categories["primary"], ...listOf(categories["alternate"])].filter(
      Boolean,
    );
  }
  const [address] = listOf(addresses);
  if (isObject(address)) {
    put("street", address["freeform"]);
    put("city", address["locality"]);
    put("zip", address["postcode"]);
    put("state", address["region"]);
    put("country", address["country"]);
  }
  if (isObject(brand)) {
    const brandNames = brand["names"];
    flat["brand"] = isObject(brandNames) ? brandNames["primary"] : brand["name"];
  }
  if (isObject(geometry)) {
    const point = pointOfGeometry(geometry);
    if (point) Object.assign(flat, point);
  }
  return flat;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * `way/1`, `node 1` become `osm/node/1` and so on; in rows with names that OpenStreetMap programs use
 * also `n1`, and osmium's areas `a2`. Other ids stay as they are, because a user's own list may number
 * its places A1, A2.
 */
export function osmId(id: string, row: Row): string {
  const [, whole, short, number = ""] =
    /^(?:(?:osm[/:])?(node|way|relation)[/ ]?|([nwra]))(\d{1,18})$/i.exec(id) ?? [];
  const kind = whole ?? (short !== undefined && isFromOsm(row) ? short : "");
  const digits = kind === "" ? "" : number;
  if (digits === "") {
    const type = row["osm_type"] ?? row["type"];
    const isKnown = typeof type === "string" && /^(?:node|way|relation)$/.test(type);
    return isKnown && /^\d{1,18}$/.test(id) ? `osm/${type}/${id}` : id;
  }
  if (kind.toLowerCase() === "a") {
    const area = BigInt(digits);
    return area % 2n === 0n ? `osm/way/${area / 2n}` : `osm/relation/${(area - 1n) / 2n}`;
  }
  const long = { n: "node", w: "way", r: "relation" }[kind.toLowerCase()] ?? kind.toLowerCase();
  return `osm/${long}/${digits}`;
}

/** Whether it is from OpenStreetMap: it has a main tag, an address as tags, or a key that only exports have. */
const isFromOsm = (row: Row): boolean =>
  Object.keys(row).some(
    (key) => tagKeys.has(key) || /^(?:addr:\w+|@id|@type|full_id|osm_\w+)$/.test(key),
  );
