import { describe, expect, test } from "vitest";
import type { NodeApi } from "../../node/index.ts";
import { readCompanyLines, type LineOptions } from "./company-lines.ts";
import { importLines } from "./import-lines.ts";

const at = "2026-11-18T00:00:00.000Z";

async function linesOf(bytes: Buffer, options: Partial<LineOptions> = {}) {
  const chunks = (async function* () {
    // In chunks, as a file is read.
    for (let from = 0; from < bytes.length; from += 7) yield bytes.subarray(from, from + 7);
  })();
  const lines = readCompanyLines(chunks, { format: "csv", encoding: "utf-8", at, ...options });
  const all = [];
  for await (const batch of lines.batches) all.push(...batch);
  return { all, leftOut: [...lines.leftOut()] };
}

const names = ({ all }: Awaited<ReturnType<typeof linesOf>>) =>
  all.map(({ fields }) => fields["name"]);

describe("tables of other programs", () => {
  test("a row with a note is the same row, whenever it is imported", async () => {
    const table = Buffer.from("name,Note\nAcme,call them\n");
    const [first] = (await linesOf(table)).all;
    const [later] = (await linesOf(table, { at: "2027-01-01T00:00:00.000Z" })).all;
    expect(first!.key).toBe(later!.key);
    const [other] = (await linesOf(Buffer.from("name,Note\nAcme,write to them\n"))).all;
    expect(other!.key).not.toBe(first!.key);
  });

  test("headers in ten languages are known", async () => {
    const headers = {
      en: "Company,Street,City,Postcode,Phone,Email",
      de: "Firmenname,Straße,Ort,PLZ,Telefon,E-Mail-Adresse",
      es: "Razón social,Calle,Población,Código postal,Teléfono,Correo electrónico",
      fr: "Raison sociale,Rue,Ville,Code postal,Téléphone,Courriel",
      it: "Ragione sociale,Via,Comune,CAP,Telefono,Posta elettronica",
      pt: "Nome,Rua,Cidade,CEP,Telefone,Email",
      nl: "Bedrijfsnaam,Straat,Plaats,Postcode,Telefoon,E-mail",
      pl: "Nazwa firmy,Ulica,Miasto,Kod pocztowy,Telefon komórkowy,E-mail",
      sv: "Företagsnamn,Gata,Ort,Postnummer,Telefon,E-post",
      ja: "会社名,番地,市区町村,郵便番号,電話番号,メールアドレス",
    };
    for (const [language, header] of Object.entries(headers)) {
      const row = "Acme,Main 1,Austin,01067,+15125550100,a@acme.example";
      const { all, leftOut } = await linesOf(Buffer.from(`${header}\n${row}\n`));
      expect(leftOut, language).toEqual([]);
      expect(all[0]?.fields, language).toEqual({
        name: "Acme",
        street: "Main 1",
        city: "Austin",
        zip: "01067",
        "phone/+15125550100": true,
        "email/a@acme.example": true,
      });
    }
  });

  test("Excel's sep= line, bars between cells, UTF-16 with a mark, and windows-1252 when asked", async () => {
    const text = "name;city\r\nMüller;Köln\r\nZeta;Bonn\r\n";
    const known = ["Müller", "Zeta"];
    const withSep = await linesOf(Buffer.from(`sep=;\r\n${text}`));
    expect(names(withSep)).toEqual(known);
    expect(withSep.all.map(({ line }) => line)).toEqual([3, 4]);
    const comma = `\ufeff"sep=,"\nname,city\n"a;b",x\n`;
    expect(names(await linesOf(Buffer.from(comma)))).toEqual(["a;b"]);
    expect(names(await linesOf(Buffer.from(text.replaceAll(";", "|"))))).toEqual(known);
    const le = Buffer.from(`\ufeff${text}`, "utf16le");
    expect(names(await linesOf(le))).toEqual(known);
    expect(names(await linesOf(Buffer.from(le).swap16()))).toEqual(known);
    const latin = Buffer.from(text, "latin1");
    expect(names(await linesOf(latin, { encoding: "windows-1252" }))).toEqual(known);
    await expect(linesOf(latin)).rejects.toThrow("--encoding windows-1252");
  });

  test("equal problems are reported once, with their number", async () => {
    const rows = Array.from(
      { length: 30 },
      (_, number) => `Acme ${number},12${number},${number}@\n`,
    );
    const bytes = Buffer.from(`name,phone,email\n${rows.join("")}`);
    const chunks = (async function* () {
      yield bytes;
    })();
    const { problems, unread } = await importLines({
      records: { planAll: async () => [] } as unknown as NodeApi["records"],
      lines: readCompanyLines(chunks, { format: "csv", encoding: "utf-8", at }),
      source: "place:file",
      isDryRun: true,
      signal: new AbortController().signal,
      onLines: () => {},
    });
    expect(unread).toBe(60);
    expect(problems).toMatchObject([
      { line: 2, count: 30, text: expect.stringContaining("phone: '120' is not a phone number") as string }, // prettier-ignore
      { line: 2, count: 30, text: "email: '0@' is not an e-mail address" },
    ]);
  });
});

describe("files of other programs", () => {
  const fieldsOf = async (text: string, format: LineOptions["format"]) => {
    const { all, leftOut } = await linesOf(Buffer.from(text), { format, country: "US" });
    return { all: all.map(({ line, fault, fields }) => ({ line, ...(fault ? { fault } : fields) })), leftOut }; // prettier-ignore
  };

  test("vCard 2.1, 3 and 4: folded lines, groups, escapes, quoted-printable", async () => {
    const cards = [
      "BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:org\r\nFN:Acme\\, Inc\r\nTEL;VALUE=uri;TYPE=work:tel:+1-512-555-0100;ext=1\r\nEMAIL:info@acme.\r\n example\r\nADR:;;Main St 1\\, Suite 2;Austin;TX;78701;US\r\nGEO:geo:30.2\\,-97.7\r\nPHOTO:data:xyz\r\nEND:VCARD",
      "BEGIN:VCARD\nVERSION:3.0\nN:Meyer;Anna;;;\nFN:Anna Meyer\nORG:Meyer GmbH;Einkauf\nitem1.EMAIL;TYPE=INTERNET:anna@meyer.example\nURL:https://meyer.example\nCATEGORIES:vip,trade fair\nBDAY:1970-01-01\nEND:VCARD",
      "BEGIN:VCARD\nVERSION:2.1\nORG;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller=\n GmbH\nEND:VCARD",
      "BEGIN:VCARD\nFN:cut",
    ];
    const { all, leftOut } = await fieldsOf(`${cards.join("\n")}\n`, "vcf");
    expect(all).toEqual([
      {
        line: 1,
        name: "Acme, Inc",
        "phone/+15125550100": true,
        "email/info@acme.example": true,
        street: "Main St 1, Suite 2",
        city: "Austin",
        state: "TX",
        zip: "78701",
        country: "US",
        latitude: 30.2,
        longitude: -97.7,
      },
      {
        line: 12,
        name: "Meyer GmbH",
        "email/anna@meyer.example": true,
        website: "https://meyer.example/",
        domain: "meyer.example",
        "tag/vip": true,
        "tag/trade fair": true,
      },
      { line: 22, name: "Müller GmbH" },
      { line: 27, fault: "it has no END:VCARD: is the file cut?" },
    ]);
    expect(leftOut).toEqual(["FN", "BDAY"]);
  });

  test("GeoJSON: properties and the point of each feature; a JSON list", async () => {
    const feature = (properties: unknown, coordinates: readonly number[]) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates },
      properties,
    });
    const features = [feature({ name: "Acme", phone: "+15125550100" }, [-97.7, 30.2]), { type: "Feature", geometry: null, properties: { Firma: "Zeta" } }, 7]; // prettier-ignore
    const { all } = await fieldsOf(
      JSON.stringify({ type: "FeatureCollection", features }),
      "geojson",
    );
    expect(all).toEqual([
      { line: 1, name: "Acme", "phone/+15125550100": true, latitude: 30.2, longitude: -97.7 },
      { line: 1, name: "Zeta" },
    ]);
    const list = await fieldsOf('[{"name":"A"},{"name":"B"}]', "json");
    expect(list.all.map((one) => "name" in one && one.name)).toEqual(["A", "B"]);
    await expect(fieldsOf('{"type":"FeatureCollection","features":[{"a":1}', "geojson")).rejects.toThrow(); // prettier-ignore
  });

  test("HubSpot's and Pipedrive's own headers are known", async () => {
    const hubspot =
      "Record ID,Company name,Company owner,Phone Number,City,Country/Region,Industry,Company Domain Name,Street Address,State/Region,Postal Code,Website URL,LinkedIn Company Page\n" +
      "123,Acme,Jo,+15125550100,Austin,US,FLOORING,acme.example,Main 1,TX,78701,https://acme.example,https://www.linkedin.com/company/acme\n";
    expect((await fieldsOf(hubspot, "csv")).all[0]).toEqual({
      line: 2,
      name: "Acme",
      "phone/+15125550100": true,
      city: "Austin",
      country: "US",
      "category/FLOORING": true,
      domain: "acme.example",
      street: "Main 1",
      state: "TX",
      zip: "78701",
      website: "https://acme.example/",
      "social/linkedin": "https://www.linkedin.com/company/acme",
    });
    const pipedrive =
      "Organization - Name,Organization - Address,Organization - City/town/village/locality of Address,Organization - Label,Organization - Owner,Person - Email - Work,Person - Phone - Work\n" +
      "Acme,Main 1,Austin,Hot lead,Jo,jane@acme.example,+15125550100\n";
    const read = await fieldsOf(pipedrive, "csv");
    expect(read.all[0]).toEqual({
      line: 2,
      name: "Acme",
      address: "Main 1",
      city: "Austin",
      "tag/Hot lead": true,
      "email/jane@acme.example": true,
      "phone/+15125550100": true,
    });
    expect(read.leftOut).toEqual(["Organization - Owner"]);
  });
});
