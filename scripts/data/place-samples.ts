/**
 * Makes the small files of places in `docs/samples/`: the same invented businesses of one town as an answer
 * of Overpass, as an extract of OpenStreetMap, as a file of Overture and as a spreadsheet. Run it by
 * `node --import tsx scripts/data/place-samples.ts`; the extract needs osmium-tool.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeParquet, wkb } from "../../src/sources/adapters/parquet/testing/parquet-files.ts";

const folder = fileURLToPath(new URL("../../docs/samples/", import.meta.url));

interface Business {
  readonly name: string;
  readonly tag: readonly [key: string, value: string];
  readonly category: string;
  readonly german: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly street: string;
  readonly number: string;
  readonly phone: string;
}

const businesses: readonly Business[] = [
  { name: "Rohr Meyer", tag: ["craft", "plumber"], category: "plumbing", german: "Klempner", latitude: 48.1371, longitude: 11.5754, street: "Hauptstraße", number: "12", phone: "+49 89 1234561" },
  { name: "Sanitär Lindner", tag: ["craft", "plumber"], category: "plumbing", german: "Klempner", latitude: 48.1412, longitude: 11.5688, street: "Lindenweg", number: "3", phone: "+49 89 1234562" },
  { name: "Bäckerei Huber", tag: ["shop", "bakery"], category: "bakery", german: "Bäckerei", latitude: 48.1355, longitude: 11.5802, street: "Marktgasse", number: "7", phone: "+49 89 1234563" },
  { name: "Backstube Sommer", tag: ["shop", "bakery"], category: "bakery", german: "Bäckerei", latitude: 48.1449, longitude: 11.5611, street: "Ringstraße", number: "21", phone: "+49 89 1234564" },
  { name: "Elektro Vogt", tag: ["craft", "electrician"], category: "electrician", german: "Elektriker", latitude: 48.1398, longitude: 11.5577, street: "Gartenstraße", number: "9", phone: "+49 89 1234565" },
  { name: "Zahnarztpraxis Brandt", tag: ["amenity", "dentist"], category: "dentist", german: "Zahnarzt", latitude: 48.1422, longitude: 11.5719, street: "Am Brunnen", number: "1", phone: "+49 89 1234566" },
]; // prettier-ignore

const tagsOf = ({ name, tag: [key, value], street, number, phone }: Business) => ({
  name,
  [key]: value,
  "addr:street": street,
  "addr:housenumber": number,
  "addr:city": "München",
  "addr:country": "DE",
  phone,
});

function writeOverpass(): void {
  const elements = businesses.map((one, at) =>
    at === 2
      ? { type: "way", id: 501, center: { lat: one.latitude, lon: one.longitude }, tags: tagsOf(one) }
      : { type: "node", id: at + 1, lat: one.latitude, lon: one.longitude, tags: tagsOf(one) },
  ); // prettier-ignore
  const osm3s = {
    timestamp_osm_base: "2026-11-01T00:00:00Z",
    copyright: "Invented for the samples of Forager; real answers are © OpenStreetMap contributors, ODbL.",
  }; // prettier-ignore
  const lines = elements.map((element) => `  ${JSON.stringify(element)}`).join(",\n");
  writeFileSync(
    join(folder, "osm.json"),
    `{"version": 0.6, "generator": "Forager", "osm3s": ${JSON.stringify(osm3s)}, "elements": [\n${lines}\n]}\n`,
  );
}

/** One of them is a closed way, and one an area with a hole: a relation. */
function writeExtract(): void {
  const attributes = 'version="1" timestamp="2026-11-01T00:00:00Z"';
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const tags = (values: Readonly<Record<string, string | undefined>>) =>
    Object.entries(values).map(([k, v = ""]) => `<tag k="${k}" v="${escape(v)}"/>`).join(""); // prettier-ignore
  const square = (id: number, { latitude, longitude }: Business, size: number) =>
    ([[-1, -1], [-1, 1], [1, 1], [1, -1]] as const).map(
      ([north, east], at) =>
        `<node id="${id + at}" ${attributes} lat="${(latitude + north * size).toFixed(7)}" lon="${(longitude + east * size).toFixed(7)}"/>`,
    ); // prettier-ignore
  const ring = (id: number, first: number, more = "") =>
    `<way id="${id}" ${attributes}>${[0, 1, 2, 3, 0].map((at) => `<nd ref="${first + at}"/>`).join("")}${more}</way>`;
  const [way, relation] = [businesses[2]!, businesses[5]!];
  const nodes = businesses.flatMap((one, at) =>
    one === way || one === relation
      ? []
      : [`<node id="${at + 1}" ${attributes} lat="${one.latitude}" lon="${one.longitude}">${tags(tagsOf(one))}</node>`],
  ); // prettier-ignore
  const xml = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<osm version="0.6" generator="Forager">',
    ...nodes,
    ...square(100, way, 0.0001),
    ...square(200, relation, 0.0002),
    ...square(300, relation, 0.0001),
    ring(501, 100, tags(tagsOf(way))),
    ring(502, 200),
    ring(503, 300),
    `<relation id="601" ${attributes}><member type="way" ref="502" role="outer"/><member type="way" ref="503" role="inner"/>${tags({ type: "multipolygon", ...tagsOf(relation) })}</relation>`,
    "</osm>",
  ];
  const temp = mkdtempSync(join(tmpdir(), "forager-samples-"));
  try {
    writeFileSync(join(temp, "sample.osm"), xml.join("\n"));
    const to = join(folder, "osm.osm.pbf");
    execFileSync("osmium", ["sort", "--overwrite", "--generator=Forager", "-o", to, join(temp, "sample.osm")]); // prettier-ignore
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** Four of them, spelled a little differently, one closed, and one that Overture doubts itself. */
async function writeOverture(): Promise<void> {
  const shown = businesses.slice(0, 6).map((one, at) => {
    const status = at === 4 ? "permanently_closed" : "open";
    const confidence = at === 5 ? 0.3 : 0.9;
    const name = at === 0 ? `${one.name} GmbH` : one.name;
    return `(${at}, '${name}', '${one.category}', ${one.longitude} + 0.0001, ${one.latitude} + 0.0001, '${one.street} ${one.number}', '${one.phone}', '${status}', ${confidence})`;
  });
  await writeParquet(
    join(folder, "overture.parquet"),
    `select '08f1f8d2-0000-4000-8000-00000000000' || i as id,
       {xmin: x::float, xmax: x::float, ymin: y::float, ymax: y::float} as bbox,
       ${wkb("x", "y")} as geometry,
       {"primary": n, common: null::map(varchar, varchar)} as names,
       {"primary": c, hierarchy: [c], alternates: []::varchar[]} as taxonomy,
       confidence::double as confidence, [phone] as phones,
       [{freeform: street, locality: 'München', postcode: '80331', region: null::varchar, country: 'DE'}] as addresses,
       [{property: '', dataset: 'meta', record_id: i::varchar}] as sources,
       status as operating_status
     from (values ${shown.join(", ")}) t(i, n, c, x, y, street, phone, status, confidence)`,
  );
}

function writeCsv(): void {
  const rows = businesses.map(
    ({ name, german, latitude, longitude, street, number, phone }) =>
      [name, street, number, "80331", "München", String(latitude).replace(".", ","), String(longitude).replace(".", ","), phone, german].join(";"),
  ); // prettier-ignore
  const header = "Firma;Straße;Hausnummer;PLZ;Ort;Breitengrad;Längengrad;Telefon;Gewerbe";
  writeFileSync(join(folder, "places.csv"), `${[header, ...rows].join("\n")}\n`);
}

writeOverpass();
writeExtract();
await writeOverture();
writeCsv();
