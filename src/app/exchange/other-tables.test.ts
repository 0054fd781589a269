import { describe, expect, test } from "vitest";
import type { NodeApi } from "../../node/index.ts";
import { readCompanyLines, type LineOptions } from "./company-lines.ts";
import { importLines } from "./import-lines.ts";

const at = "2026-11-18T00:00:00.000Z";

async function linesOf(bytes: Buffer, options: Partial<LineOptions> = {}) {
  const chunks = (async function* () {
    // In pieces, as a file comes in.
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

  test("equal problems are told once, with their number", async () => {
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
      { line: 2, count: 30, text: expect.stringContaining("phone: '120' is no phone number") as string }, // prettier-ignore
      { line: 2, count: 30, text: "email: '0@' is no e-mail address" },
    ]);
  });
});
