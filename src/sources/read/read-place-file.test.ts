// inputs: src/sources/** src/base/**
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Place } from "../place.ts";
import { featureTexts, jsonLines, recordLengthMax } from "./json-records.ts";
import { readPlaceFile, type PlaceFileOptions } from "./read-place-file.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-read-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read(
  name: string,
  text: string | Uint8Array,
  options: Partial<PlaceFileOptions> = {},
) {
  const file = join(folder, name);
  writeFileSync(file, text);
  const places: Place[] = [];
  const bad: string[] = [];
  for await (const batch of readPlaceFile({ file, ...options })) {
    for (const { line, read: one } of batch) {
      if (one.kind === "place") places.push(one.place);
      else if (one.kind === "bad") bad.push(`${line}: ${one.reason}`);
    }
  }
  return { places, bad };
}
const feature = (id: string, latitude: number, longitude: number, properties = {}) => ({
  type: "Feature",
  id,
  geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: { name: `Plumber ${id}`, ...properties },
});

describe("CSV", () => {
  test("headers of ten languages, and decimal commas where ; parts cells", async () => {
    const tables = {
      en: "Company,Latitude,Longitude,Street Address,City,Zip Code,Phone Number,E-Mail,Website",
      de: "Firma;Breitengrad;Längengrad;Straße;Ort;PLZ;Telefon;E-Mail-Adresse;Webseite",
      es: "Empresa;Latitud;Longitud;Calle;Ciudad;Código postal;Teléfono;Correo electrónico;Sitio web",
      fr: "Société;Latitude;Longitude;Rue;Ville;Code postal;Téléphone;Courriel;Site web",
      it: "Azienda;Latitudine;Longitudine;Via;Città;CAP;Telefono;Email;Sito web",
      pt: "Empresa;Latitude;Longitude;Rua;Cidade;CEP;Telefone;E-mail;Site",
      nl: "Bedrijfsnaam;Breedtegraad;Lengtegraad;Straat;Plaats;Postcode;Telefoon;E-mail;Website",
      pl: "Nazwa firmy;Szerokość geograficzna;Długość geograficzna;Ulica;Miasto;Kod pocztowy;Telefon;E-mail;Strona WWW",
      sv: "Företag;Latitud;Longitud;Gata;Ort;Postnummer;Telefon;E-post;Hemsida",
      ja: "会社名,緯度,経度,通り,市区町村,郵便番号,電話番号,メールアドレス,ホームページ",
    };
    for (const [language, head] of Object.entries(tables)) {
      const [by, comma] = head.includes(";") ? [";", ","] : [",", "."];
      const row = ["X", `48${comma}15`, `11${comma}55`, "S 1", "C", "01067", "+49 89 1", "a@x.example", "x.example"]; // prettier-ignore
      const { places, bad } = await read(`${language}.csv`, `${head}\r\n${row.join(by)}\r\n`);
      expect(bad, language).toEqual([]);
      expect(places, language).toMatchObject([
        {
          name: "X",
          latitude: 48.15,
          longitude: 11.55,
          street: "S 1",
          city: "C",
          zip: "01067",
          phones: ["+49 89 1"],
          emails: ["a@x.example"],
          website: "x.example",
        },
      ]);
    }
  });

  test("quotes, line ends in cells, a mark at the start, sep=, tabs, pipes and UTF-16", async () => {
    const rows = (by: string) =>
      [
        ["name", "lat", "lon", "about"],
        ['"A ""B"" & C"', "1.5", "2.5", '"two\nlines"'],
      ]
        .map((row) => row.join(by))
        .join("\r\n");
    const texts: Readonly<Record<string, string | Uint8Array>> = {
      "comma.csv": rows(","),
      "mark.csv": `\ufeff${rows(",")}`,
      "hint.csv": `sep=|\r\n${rows("|")}`,
      "tab.tsv": rows("\t"),
      "pipe.txt": rows("|"),
      "wide.csv": Buffer.from(`\ufeff${rows(";")}`, "utf16le"),
    };
    for (const [name, text] of Object.entries(texts)) {
      const { places } = await read(name, text);
      expect(places, name).toMatchObject([
        { name: 'A "B" & C', latitude: 1.5, longitude: 2.5, description: "two lines" },
      ]);
    }
  });

  test("numbered columns of numbers and addresses are all read", async () => {
    const head =
      "Firma;Breite;Länge;Telefon 1;Telefon 2;Telefon 03;E-Mail 1;E-Mail 2;Website 2;Ort 2";
    const { places } = await read(
      "n.csv",
      `${head}\nA;1;2;089 1;089 2;089 3;a@x.example;b@x.example;x.example;C\n`,
    );
    expect(places).toMatchObject([
      {
        phones: ["089 1", "089 2", "089 3"],
        emails: ["a@x.example", "b@x.example"],
        website: "x.example",
      },
    ]);
    expect(places[0]).not.toHaveProperty("city");
  });

  test("columns by hand, two of one name, WKT, and what is missing is reported", async () => {
    const columns = { name: "Wer", latitude: "N", longitude: "O" };
    const text = "Wer,N,O,Telefon,Telefon\nX,1,2,+49 89 1,+49 89 2\n";
    expect((await read("a.csv", text, { columns })).places).toMatchObject([
      { name: "X", latitude: 1, longitude: 2, phones: ["+49 89 1", "+49 89 2"] },
    ]);
    const wkt = 'name,geom\nX,"POLYGON((0 0, 2 0, 2 4, 0 4, 0 0))"\n';
    expect((await read("b.csv", wkt)).places).toMatchObject([{ latitude: 2, longitude: 1 }]);
    await expect(read("c.csv", "Wer,N,O\nX,1,2\n")).rejects.toThrow(
      /no columns for latitude and longitude; it has Wer, N, O: .*--column latitude=/,
    );
    await expect(read("d.csv", "Wer,lat,lon\nX,1,2\n")).rejects.toThrow(/no column for the name/);
    await expect(read("e.csv", text, { columns: { name: "Wem" } })).rejects.toThrow(
      /no column "Wem"; it has Wer, N, O/,
    );
    await expect(read("f.csv", text, { columns: { nome: "Wer" } })).rejects.toThrow(
      /no field nome/,
    );
  });

  test("a file that ends in the middle of a row is refused, and rows without their last cells are not", async () => {
    const whole = "name,lat,lon,phone\nA,1,2,089 1\nB,3,4,089 2";
    expect((await read("a.csv", whole)).places).toHaveLength(2);
    await expect(read("b.csv", whole.slice(0, -6))).rejects.toMatchObject({
      code: "places_file_cut",
      message: expect.stringMatching(/middle of a row, at line 3/) as string,
    });
    const short = "name,lat,lon,phone\nA,1,2\nB,3,4,089 2\nC,5,6";
    expect((await read("c.csv", short)).places).toHaveLength(3);
    expect((await read("d.csv", `${whole.slice(0, -6)}\n`)).places).toHaveLength(2);
    const long = `${"name,lat,lon,phone\n"}${"A,1,2,089 1\n".repeat(20_000)}B,3`;
    await expect(read("e.csv", long)).rejects.toThrow(/at line 20002/);
  });

  test("a row that cannot be read is reported by its line, and the others are taken", async () => {
    const { places, bad } = await read("p.csv", "name,lat,lon\nA,1,2\nB,north,2\n,1,2\nC,3,4\n");
    expect(places.map(({ name }) => name)).toEqual(["A", "C"]);
    expect(bad).toEqual([
      "3: it has no latitude and longitude that are numbers",
      "4: it has no name, no operator and no brand",
    ]);
  });
});

describe("JSON", () => {
  test("an array, and a saved answer of Overpass with its ways and relations", async () => {
    const rows = [
      { name: "A", lat: 1.5, lon: 2.5 },
      { name: "B]", lat: 3, lon: 4 },
    ];
    expect((await read("a.json", JSON.stringify(rows, null, 2))).places).toMatchObject([
      { name: "A" },
      { name: "B]" },
    ]);
    const elements = [
      { type: "node", id: 1, lat: 48.1, lon: 11.5, tags: { name: "N", shop: "bakery" } },
      { type: "way", id: 2, center: { lat: 48.2, lon: 11.6 }, tags: { name: "W", "disused:shop": "x" } },
      { type: "relation", id: 3, center: { lat: 48.3, lon: 11.7 }, tags: { name: "R", office: "it" } },
      { type: "relation", id: 4, tags: { name: "S", office: "it" } },
    ]; // prettier-ignore
    const answer = { version: 0.6, generator: "Overpass API", osm3s: {}, elements };
    const { places, bad } = await read("o.json", JSON.stringify(answer));
    expect(places).toMatchObject([
      { id: "osm/node/1", latitude: 48.1, tags: ["shop=bakery"] },
      { id: "osm/relation/3", longitude: 11.7 },
    ]);
    expect(bad).toEqual(["1: it has no point and no centre"]);
    const remark = 'runtime error: Query timed out in "query" at line 4 after 2 seconds.';
    await expect(read("p.json", JSON.stringify({ ...answer, remark }))).rejects.toThrow(/remark/);
    await expect(read("q.json", JSON.stringify(answer).slice(0, -20))).rejects.toThrow(/middle/);
  });

  test("lines, a collection in any layout, and a sequence", async () => {
    const features = [
      feature("a", 48.15, 11.55, { note: 'a } "quote\\" ] {' }),
      feature("b", 40, 11.55),
    ];
    const collection = {
      type: "FeatureCollection",
      bbox: [1, 2, 3, 4],
      features,
      more: [{ a: 1 }],
    };
    const texts = {
      "one.geojson": JSON.stringify(collection),
      "two.json": JSON.stringify(collection, null, 2),
      "three.geojson": JSON.stringify({ features, type: "FeatureCollection" }),
      "four.geojsonl": features.map((one) => JSON.stringify(one)).join("\n"),
      "five.geojson": features.map((one) => `\u001e${JSON.stringify(one)}`).join("\n"),
      "six.geojsonseq": features.map((one) => `\u001e${JSON.stringify(one)}\n`).join(""),
    };
    for (const [name, text] of Object.entries(texts)) {
      const { places, bad } = await read(name, text);
      expect(
        places.map(({ id }) => id),
        name,
      ).toEqual(["a", "b"]);
      expect(bad, name).toEqual([]);
    }
  });

  test("lesson 41: what cannot be read is named by its line, and the others are taken", async () => {
    const line = (id: string, latitude: number) =>
      `${JSON.stringify({ id, name: id, latitude, longitude: 11 })}\n`;
    const { places, bad } = await read(
      "p.jsonl",
      `${line("a", 48)}{"name": "half\n\n[1]\n{"name":"no place"}\n${line("b", 148)}${line("c", 48)}`,
    );
    expect(places.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(bad.map((one) => one.split(":")[0])).toEqual(["2", "4", "5", "6"]);
    expect(bad[0]).toBe("2: it is not JSON");
  });

  test("a record that is far too long is skipped, not held", async () => {
    const long = JSON.stringify({ name: "x", lat: 1, lon: 2, about: "x".repeat(recordLengthMax) });
    const { places, bad } = await read("p.jsonl", `${long}\n{"name":"a","lat":1,"lon":2}\n`);
    expect(places).toHaveLength(1);
    expect(bad[0]).toMatch(/^1: it is longer than/);
  });

  test("records are found whatever chunks the text comes in", async () => {
    const features = Array.from({ length: 5 }, (_, index) =>
      feature(`f${index}`, 48.15, 11.55, { text: 'ü "}]{[\\' }),
    );
    const texts = {
      lines: features.map((one) => JSON.stringify(one)).join("\n\n"),
      document: JSON.stringify({ type: "FeatureCollection", features }, null, 1),
    };
    const cut = (text: string, sizes: readonly number[]) =>
      (async function* () {
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const end = at + sizes[turn % sizes.length]!;
          yield text.slice(at, end);
          at = end;
        }
      })();
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (chosen) => {
        for (const [kind, split] of [
          ["lines", jsonLines],
          ["document", featureTexts],
        ] as const) {
          const found: unknown[] = [];
          for await (const batch of split(cut(texts[kind], chosen))) {
            found.push(...batch.map(({ text }) => JSON.parse(text!) as unknown));
          }
          expect(found).toEqual(features);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a file of another format is reported with what to do, and not taken for a strange encoding", async () => {
    const others: Readonly<Record<string, readonly [string | Uint8Array, RegExp]>> = {
      "a.xlsx": ["PK\u0003\u0004 and so on", /spreadsheet .*save it as CSV/],
      "a.csv.gz": [gzipSync("name,lat,lon\n"), /compressed: unpack it/],
      "a.kml": ['<?xml version="1.0"?><kml></kml>', /XML or HTML/],
      "a.pdf": ["%PDF-1.4\n", /neither CSV nor JSON/],
      "a.json": ['["a","b"]', /texts instead of objects, at line 1/],
    };
    for (const [name, [text, told]] of Object.entries(others)) {
      await expect(read(name, text), name).rejects.toThrow(told);
    }
    const wide = Buffer.from("name,lat,lon\nA,1,2\n", "utf16le");
    expect((await read("wide.csv", wide)).places).toMatchObject([{ name: "A" }]);
  });

  test("a key such as constructor is a key like others", async () => {
    const text =
      '{"constructor":"y","__proto__":{"x":1},"toString":"z","name":"A","lat":1,"lon":2}\n';
    expect((await read("p.jsonl", text)).places).toMatchObject([{ name: "A" }]);
  });

  test("an empty file, and what is not a file, are reported", async () => {
    await expect(read("p.jsonl", "")).rejects.toThrow(/it is empty/);
    await expect(read("p.csv", "name,lat,lon\n")).resolves.toEqual({ places: [], bad: [] });
    const readFolder = async () => {
      for await (const _ of readPlaceFile({ file: folder }));
    };
    await expect(readFolder()).rejects.toThrow(/not a regular file/);
  });
});
