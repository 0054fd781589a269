import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../base/testing/cpu-time.ts";
import { parse } from "tldts";
import { extractPage, type PageInput } from "./extract-page.ts";
import { foldScript } from "./email/fold-script.ts";
import type { PageFacts } from "./page-facts.ts";
import { extractFrom } from "./testing/extract-from.ts";

/** Far above what any page takes here, far below what a runaway pattern would. */
const patienceMs = 4_000;

describe("a hostile page costs no more than its length:", () => {
  const deep = 200_000;
  const long = 100_000;
  test.each<readonly [string, string]>([
    ["a million nested tags", "<div>".repeat(1_000_000)],
    ["nested inline tags", "<b>".repeat(deep)],
    ["nested scopes", `<div itemscope itemprop="a">`.repeat(50_000)],
    ["end tags without beginnings", "<div>".repeat(1_000) + "</b>".repeat(deep / 2)],
    ["tags that imply ends", "<p><li><td>".repeat(deep / 4)],
    ["unclosed tags", "<a href='".repeat(long / 10)],
    ["angle brackets", "<".repeat(deep)],
    ["entities", "&amp;&#64;&".repeat(long / 5)],
    ["attributes", `<a ${"x=y ".repeat(long)}>`],
    ["one attribute", `<a title="${"@".repeat(deep)}">`],
    ["signs", "@".repeat(deep)],
    ["almost addresses", "a@a.".repeat(long)],
    ["one endless local part", `${"a.".repeat(long)}@x.de`],
    ["one endless domain", `a@${"a.".repeat(long)}de`],
    ["brackets", "[at](at){at}".repeat(long / 10)],
    ["words for the sign", "a at b dot ".repeat(long / 10)],
    ["dots in words", `a (at) ${"b (dot) ".repeat(long / 10)}`],
    ["digits", "0".repeat(deep)],
    ["digits and spaces", "0 ".repeat(long)],
    ["almost numbers", "+49 (0) ".repeat(long / 5)],
    ["labels of numbers", "Tel. Nr. ".repeat(long / 10) + "089 12345678"],
    ["spaces", " ".repeat(deep)],
    ["line breaks", "<br>".repeat(long)],
    ["seams", "a<b></b>".repeat(long / 10) + "@x.de"],
    ["styles", `<style>${".a{display:none}".repeat(long / 20)}</style><p class="a">x</p>`],
    ["braces in a style", `<style>${".a,".repeat(long)}{{{{</style>`],
    ["brackets in a script", `<script>var mail = ${"(".repeat(long)}</script>`],
    ["additions", `<script>x = "@"${`+"a@"`.repeat(long / 20)}</script>`],
    ["a string without end", `<script>mail = "${"\\".repeat(long)}</script>`],
    ["nested JSON", `<script type="application/ld+json">${`{"a":[`.repeat(40_000)}</script>`],
    [
      "long JSON",
      `<script type="application/ld+json">[${`{"@type":"Store","email":"a@b.de"},`.repeat(8_000)}]</script>`,
    ],
    ["broken JSON", `<script type="application/ld+json">{"a":"${"/*,".repeat(50_000)}</script>`],
    ["a long class", `<div class="${"a ".repeat(long)}">`],
    ["a long link", `<a href="mailto:${"a@b.de,".repeat(long / 10)}">x</a>`],
    ["percent codes", `<a href="mailto:${"%25".repeat(long / 10)}">x</a>`],
    ["many links", `<a href="/x">y</a>`.repeat(long / 10)],
    ["reversed text", `<bdo dir="rtl">${"ed.x@a ".repeat(long / 10)}</bdo>`],
    ["copyright signs", "© 2020 ".repeat(long / 10)],
    ["names", "Anna Brandt, ".repeat(long / 10)],
    ["names on lines", "<h3>Anna Brandt</h3><p>Owner</p>".repeat(long / 50)],
    [
      "noise",
      String.fromCharCode(...Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 65_536)),
    ],
  ])("%s", (_, html) => {
    const cpuMs = cpuMsOf(() => expectValid(extractFrom(html)));
    expect(cpuMs).toBeLessThan(patienceMs);
  });

  test("what is too long is cut, and that is said", () => {
    const html = `<p>a@firma-x.de</p>${" ".repeat(6_000_000)}<p>b@firma-x.de</p>`;
    const { isCut, emails } = extractFrom(html);
    expect({ isCut, emails: emails.map(({ value }) => value) }).toEqual({
      isCut: true,
      emails: ["a@firma-x.de"],
    });
    expect(extractFrom("<p>short</p>").isCut).toBe(false);
  });
});

describe("values carry nothing that is not text:", () => {
  test("control characters, among them our own separator", () => {
    const html = `<title>A\u001fB\u0000C\u001e</title><meta property="og:site_name" content="Bra\u001fndt\u0007 Holz"><h2>Leistungen</h2><ul><li>Tre\u001fppen</li></ul><a href="/x">a\u001fb</a>`;
    const facts = extractFrom(html);
    expect(facts).toMatchObject({ title: "A B C", name: "Bra ndt Holz", services: ["Tre ppen"] });
    expectValid(facts);
  });

  test("a script deep inside is not text", () => {
    const html = `${"<div>".repeat(300)}<script>// a@firma-x.de\n</script><p>b@firma-x.de</p>`;
    const { emails } = extractFrom(html, { deobfuscate: "simple" });
    expect(emails.map(({ value }) => value)).toEqual(["b@firma-x.de"]);
  });

  test("script elements in names", () => {
    const names = [
      `"<script>x()<\\/script>"`,
      `"<img src=x onerror=y>Brandt"`,
      `"&lt;script&gt;x()&lt;/script&gt;Brandt"`,
      `"a < b > c"`,
    ];
    for (const name of names) {
      expectValid(
        extractFrom(`<script type="application/ld+json">{"@type":"Store","name":${name}}</script>`),
      );
    }
  });

  test("signs that turn the direction of writing, lone surrogates", () => {
    expectValid(
      extractFrom(
        `<title>a\u202eb\ud800c</title><h2>Products</h2><ul><li>x\u202ey\udc00z</li></ul>`,
      ),
    );
    expect(extractFrom("<title>a\u202eb\ud800c</title>").title).toBe("abc");
  });
});

describe("whatever a page holds, it does not throw, and what it says is valid:", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "<a href='",
      "'>",
      "</a>",
      "<p>",
      "</p>",
      "<script>",
      "</script>",
      "<style>",
      "</style>",
      "<!--",
      "-->",
      "@",
      " [at] ",
      " dot ",
      "x.de",
      "info",
      "mailto:",
      "tel:",
      "+49 89 ",
      "12345678",
      "&#64;",
      "<div style='display:none'>",
      "</div>",
      "<script type='application/ld+json'>",
      `{"@type":"Store","name":"`,
      `"}`,
      "<h2>Services</h2>",
      "<li>",
      "itemscope itemprop=name",
      "<svg>",
      "<title>",
      "<br>",
      "\u001f",
      "\u0000",
      "data-cfemail='5a",
      "'+'",
      "atob('",
      "String.fromCharCode(",
      "<template>",
      "<bdo dir=rtl>",
      "https://x.com/",
      "facebook.com/",
      "Owner: Anna Brandt",
      "© 2024 ",
    ),
  );
  const page = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const input = fc.record({
    html: page,
    url: fc.constantFrom(
      "https://www.x.de/",
      "http://x.co.uk/a?b=c",
      "not a url",
      "",
      "https://127.0.0.1/",
    ),
    country: fc.constantFrom("DE", "US", "zz", ""),
    deobfuscate: fc.constantFrom("off", "simple", "all"),
  });

  test("pages of pieces", () => {
    fc.assert(
      fc.property(input, (one) => expectValid(extractPage(one as PageInput))),
      { numRuns: 600 },
    );
  });

  test("scripts of pieces", () => {
    const part = fc.constantFrom(
      "'a'",
      '"@"',
      "+",
      "(",
      ")",
      "[",
      "]",
      ",",
      ";",
      "=",
      ".join(",
      ".split(",
      "x",
      "atob(",
      "/",
      "\\",
      "`",
      "//",
      "/*",
      "1",
      "var ",
      "fromCharCode(",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        for (const { text } of foldScript(parts.join(""))) expect(typeof text).toBe("string");
      }),
      { numRuns: 600 },
    );
  });
});

function expectValid(facts: PageFacts): void {
  for (const { value } of facts.emails) {
    expect(value).toMatch(/^[a-z0-9_][a-z0-9._%+&'-]{0,63}@[a-z0-9.-]{4,190}$/);
    const { isIcann, domain } = parse(value.slice(value.indexOf("@") + 1));
    expect({ isIcann, hasDomain: domain !== null }).toEqual({ isIcann: true, hasDomain: true });
  }
  for (const { value } of [...facts.phones, ...facts.faxes])
    expect(value).toMatch(/^\+[1-9]\d{5,14}$/);
  for (const { url } of facts.socials) expect(new URL(url).protocol).toBe("https:");
  for (const { href } of facts.links) expect(href).toMatch(/^https?:\/\//);
  for (const text of textsOf(facts)) {
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
    expect(text.length).toBeLessThanOrEqual(2_048);
  }
  for (const name of [
    facts.name ?? "",
    ...facts.services,
    ...facts.products,
    ...facts.people.map((one) => one.name),
  ]) {
    expect(name).not.toMatch(/[<>]/);
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === "url" ? [] : textsOf(one)));
}
