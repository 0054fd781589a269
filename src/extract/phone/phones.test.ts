import { describe, expect, test } from "vitest";
import { extractFrom, phonesIn } from "../testing/extract-from.ts";

describe("a telephone number is found when it is written as", () => {
  test.each([
    ["a link", `<a href="tel:+498912345678">call</a>`, "+498912345678"],
    ["a link in national form", `<a href="tel:089%2012345678">call</a>`, "+498912345678"],
    ["callto", `<a href="callto:+498912345678">call</a>`, "+498912345678"],
    ["a link with an extension", `<a href="tel:+49-89-12345678;ext=12">call</a>`, "+498912345678"],
    ["with country code", "<p>+49 89 12345678</p>", "+498912345678"],
    ["with a zero in brackets", "<p>Tel. +49 (0) 89 / 123 456-78</p>", "+498912345678"],
    ["with two zeros", "<p>Tel: 0049 89 12345678</p>", "+498912345678"],
    ["with the country code in brackets", "<p>Tel: (+49) 89 12345678</p>", "+498912345678"],
    ["national with slash", "<p>Telefon 089/12345678</p>", "+498912345678"],
    ["national with brackets", "<p>(089) 1234 5678</p>", "+498912345678"],
    ["national without label", "<p>089 - 12 34 56 78</p>", "+498912345678"],
    ["one block after a label", "<p>Fon: 08912345678</p>", "+498912345678"],
    [
      "a label in the cell before",
      "<table><tr><th>Telefon</th><td>08912345678</td></tr></table>",
      "+498912345678",
    ],
    ["a label on the line before", "<p>Mobil<br>01711234567</p>", "+491711234567"],
    ["split by elements", "<p>Tel: <b>089</b> <i>123</i><i>456</i> 78</p>", "+498912345678"],
    ["typesetters' dashes", "<p>Tel: 089 – 123 456 – 78</p>", "+498912345678"],
    ["no-break spaces", "<p>Tel:&nbsp;089&nbsp;123&nbsp;456&nbsp;78</p>", "+498912345678"],
    ["wide digits", "<p>電話：＋４９ ８９ １２３４５６７８</p>", "+498912345678"],
    [
      "JSON-LD",
      `<script type="application/ld+json">{"@type":"Bakery","telephone":"089 12345678"}</script>`,
      "+498912345678",
    ],
    [
      "microdata",
      `<div itemscope itemtype="http://schema.org/Bakery"><b itemprop="telephone">089 12345678</b></div>`,
      "+498912345678",
    ],
    ["Tel.-Nr.", "<p>Tel.-Nr.: 089 12345678</p>", "+498912345678"],
  ])("%s", (_, html, number) => expect(phonesIn(html)).toEqual([number]));

  test.each([
    ["US", "<p>(512) 472-9999</p>", "+15124729999"],
    ["US", "<p>512.472.9999</p>", "+15124729999"],
    ["US", "<p>Call 5124729999 now</p>", "+15124729999"],
    ["US", "<p>Call 1-800-FLOWERS today</p>", "+18003569377"],
    ["GB", "<p>020 7946 0958</p>", "+442079460958"],
    ["FR", "<p>Tél. : 01 42 68 53 00</p>", "+33142685300"],
    ["FR", "<p>01.42.68.53.00</p>", "+33142685300"],
    ["ES", "<p>91 523 45 67</p>", "+34915234567"],
    ["IT", "<p>Tel. 06 1234 5678</p>", "+390612345678"],
    ["JP", "<p>電話番号：03-3213-1234</p>", "+81332131234"],
    ["BR", "<p>(11) 98765-4321</p>", "+5511987654321"],
    ["CH", "<p>044 668 18 00</p>", "+41446681800"],
    ["NL", "<p>Tel: 020-794 08 00</p>", "+31207940800"],
    ["PL", "<p>tel. 22 555 01 23</p>", "+48225550123"],
  ])("one of %s: %s", (country, html, number) =>
    expect(phonesIn(html, { country, url: "https://shop.com/" })).toEqual([number]),
  );
});

test("two numbers on one line stay two", () => {
  expect(phonesIn("<p>Tel. 089 123 456 78, 0171 1234567 / 030 901820 | +43 1 58858</p>")).toEqual(
    ["+43158858", "+4930901820", "+491711234567", "+498912345678"].sort(),
  );
});

test("an extension is kept", () => {
  const { phones } = extractFrom("<p>Phone: (512) 472-9999 ext. 12</p>", { country: "US" });
  expect(phones).toMatchObject([{ value: "+15124729999", extension: "12" }]);
});

describe("no telephone number is", () => {
  test.each([
    ["a fax", "<p>Fax: 089 12345679</p><p>Telefax 089/12345679</p><p>089 12345679 (Fax)</p>"],
    [
      "a fax in the cell beside its label",
      "<table><tr><td>Telefax:</td><td>089 12345679</td></tr></table>",
    ],
    ["a fax that is a link", `<p>Fax:</p><a href="tel:+498912345679">089 12345679</a>`],
    ["an account", "<p>IBAN DE89 3704 0044 0532 0130 00</p><p>Konto 0532013000 BLZ 37040044</p>"],
    [
      "a tax number",
      "<p>USt-IdNr.: DE 123456789</p><p>Steuernummer: 143/123/45678</p><p>VAT GB 123 4567 89</p>",
    ],
    [
      "a register's number",
      "<p>HRB 123456 Amtsgericht München</p><p>SIRET 552 100 554 00013</p><p>SIREN: 552 100 554</p>",
    ],
    [
      "a company number",
      "<p>Company No. 0207 946 095</p><p>KvK 12345678</p><p>NIP: 525-000-12-34</p>",
    ],
    ["a coordinate", "<p>48.137154, 11.576124</p><p>GPS 48.1371540 11.5761240</p>"],
    ["a date", "<p>12.05.2024 10:00</p><p>2024-05-12 08:30</p><p>1999 - 2024</p><p>01/02/2023</p>"],
    ["a date after a word for telephones", "<p>Call</p><p>01.02.2023 14:30</p>"],
    ["a price", "<p>1.234.567,00 €</p><p>$ 5124729999</p><p>EUR 0891234567</p>"],
    ["an address of a machine", "<p>192.168.100.200</p>"],
    ["a book", "<p>ISBN 978-3-16-148410-0</p>"],
    ["an order", "<p>Order no. 0891 234567</p><p>Art.-Nr. 089-12345678</p><p>#08912345678</p>"],
    ["a number in a word", "<p>x08912345678 08912345678px 08912345678@home id_08912345678</p>"],
    ["zeros and ones", "<p>Tel. 000000000 Tel. 0891111111111</p>"],
    ["a number that nobody has", "<p>Tel. +49 1</p><p>Tel. +999 123456789</p>"],
    ["a hidden one", `<p style="display:none">Tel. 089 12345678</p>`],
    ["a plain run of digits", "<p>5124729999</p>"],
  ])("%s", (_, html) => expect(phonesIn(html)).toEqual([]));

  test("a fax is a fax, and kept as one", () => {
    const { phones, faxes } = extractFrom("<p>Tel 089 12345678 Fax 089 12345679</p>");
    expect(phones.map(({ value }) => value)).toEqual(["+498912345678"]);
    expect(faxes.map(({ value }) => value)).toEqual(["+498912345679"]);
  });

  test("one number for both is a telephone", () =>
    expect(phonesIn("<p>Tel./Fax: 089 12345678</p>")).toEqual(["+498912345678"]));
});

describe("numbers without a country code belong to", () => {
  const html = "<p>Tel. 01 5885 8123</p>";
  const stated = (country: string) =>
    `<script type="application/ld+json">{"@type":"Hotel","address":{"addressCountry":"${country}"}}</script>`;

  test.each([
    ["the country that is given", html, { country: "AT", url: "https://x.de/" }, "+43158858123"],
    [
      "the country of structured data",
      stated("Österreich") + html,
      { url: "https://x.de/" },
      "+43158858123",
    ],
    ["the country of the domain", html, { url: "https://x.at/" }, "+43158858123"],
    [
      "the region of the language",
      `<html lang="de-AT">${html}`,
      { url: "https://x.com/" },
      "+43158858123",
    ],
    [
      "the country of the other numbers",
      `${html}<p>+43 1 588580</p>`,
      { url: "https://x.com/" },
      "+43158858123",
    ],
  ])("%s", (_, page, more, number) => expect(phonesIn(page, more)).toContain(number));

  test("no country, if nothing indicates one", () =>
    expect(phonesIn(html, { url: "https://x.com/" })).toEqual([]));

  test("a domain under which anybody can register indicates nothing", () =>
    expect(phonesIn(html, { url: "https://x.io/" })).toEqual([]));
});
