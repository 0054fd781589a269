import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl, isAsset, looksEndless } from "./canonical-url.ts";
import { priorityOf, taskPriority } from "./link-priority.ts";
import { worthOf } from "./page-worth.ts";
import { isSameSite, siteOf } from "./site.ts";

describe("canonical URLs", () => {
  test.each([
    ["HTTP://Example.ORG:80", "http://example.org/"],
    ["https://example.org:443/a/../b/./c", "https://example.org/b/c"],
    ["https://example.org./x", "https://example.org/x"],
    ["https://user:pw@example.org/x#part", "https://example.org/x"],
    ["https://example.org/%7ejoe/%c3%bc/a%2fb", "https://example.org/~joe/%C3%BC/a%2Fb"],
    ["https://example.org/ü b", "https://example.org/%C3%BC%20b"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://example.org/?", "https://example.org/"],
    ["https://example.org/?b=2&a=1&&b=1", "https://example.org/?a=1&b=2&b=1"],
    ["https://example.org/?utm_source=x&id=3&gclid=y&fbclid=z", "https://example.org/?id=3"],
    ["https://example.org/?PHPSESSID=abc&x", "https://example.org/?x"],
    ["https://example.org/?sid=0123456789abcdef0123456789abcdef", "https://example.org/"],
    ["https://example.org/?sid=7", "https://example.org/?sid=7"],
    ["https://example.org/a;jsessionid=12AB?x=1", "https://example.org/a?x=1"],
    ["https://example.org/(S(abcdefghijklmno))/page", "https://example.org/page"],
    ["https://example.org/a/", "https://example.org/a/"],
    ["https://example.org/a", "https://example.org/a"],
    ["https://example.org:8443/", "https://example.org:8443/"],
    ["https://example.org/?q=a+b%20c", "https://example.org/?q=a+b%20c"],
    ["https://example.org/100%", "https://example.org/100%"],
  ])("%s is %s", (text, expected) => expect(canonicalUrl(text)).toBe(expected));

  test("lesson 49: ?page=2 stays apart from ?page=1 and from none", () => {
    const all = ["", "?page=1", "?page=2"].map((query) =>
      canonicalUrl(`https://example.org/l${query}`),
    );
    expect(new Set(all).size).toBe(3);
  });

  test.each([
    "mailto:a@b.c",
    "javascript:void(0)",
    "tel:+49",
    "//",
    "http://",
    "data:text/html,x",
    `https://e.org/${"x".repeat(2_001)}`,
  ])("%s is none", (text) => expect(canonicalUrl(text, undefined)).toBeUndefined());

  test("relative ones are resolved", () => {
    expect(canonicalUrl("../x?b#c", "https://example.org/a/b/c")).toBe("https://example.org/a/x?b");
  });

  test("canonical is canonical", () => {
    const part = fc.string({
      unit: fc.constantFrom(..."aZ9%2f7E.~/;=&?+ ü(S)#".split("")),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), part, part, (start, path, query) => {
        const once = canonicalUrl(`${start}/${path}?${query}`);
        if (once !== undefined) expect(canonicalUrl(once)).toBe(once);
      }),
      { numRuns: 400 },
    );
  });

  test("lesson 49: walks without end are seen", () => {
    expect(looksEndless("https://e.org/a/b/a/b/a/b")).toBe(true);
    expect(looksEndless(`https://e.org/${"x/y/".repeat(10)}`)).toBe(true);
    expect(looksEndless("https://e.org/2024/05/contact")).toBe(false);
  });

  test("URLs that are not pages by their name", () => {
    expect(isAsset("https://e.org/a/B.PDF?x=1")).toBe(true);
    expect(isAsset("https://e.org/contact.php")).toBe(false);
  });
});

describe("sites", () => {
  test("are registrable domains; addresses and ports are their own", () => {
    expect(siteOf("https://www.shop.example.co.uk/x")).toBe("example.co.uk");
    expect(isSameSite("https://acme.com/", "http://mail.acme.com:8080/")).toBe(true);
    expect(isSameSite("https://a.github.io/", "https://b.github.io/")).toBe(false);
    expect(isSameSite("http://127.0.0.1:81/", "http://127.0.0.1:82/")).toBe(false);
    expect(isSameSite("https://acme.com/", "https://notacme.com/")).toBe(false);
  });
});

describe("priorities", () => {
  test("D6: frame before body, body less with each step", () => {
    expect(priorityOf({ where: "header" }, 0.5)).toBe(1);
    expect(priorityOf({ where: "footer" }, 0.5)).toBe(0.99);
    expect(priorityOf({ where: "body" }, 1)).toBe(0.9);
    expect(priorityOf({ where: "body" }, 0.9)).toBeCloseTo(0.81);
  });

  test("as tasks: pages of worth before all others, contact first", () => {
    const order = [
      taskPriority(0.1, "contact"),
      taskPriority(1, "imprint"),
      taskPriority(1, "legal"),
      taskPriority(1, undefined),
      taskPriority(0.99, undefined),
      taskPriority(0.1, undefined),
    ];
    expect(order).toEqual([...order].sort((a, b) => b - a));
    expect(new Set(order).size).toBe(order.length);
    expect(order.every((one) => Number.isInteger(one) && one >= 0 && one <= 1_000)).toBe(true);
  });

  test.each([
    ["/contact", "", "contact"],
    ["/kontakt.html", "", "contact"],
    ["/de/Kontakt/", "", "contact"],
    ["/impressum", "", "imprint"],
    ["/%C3%BCber-uns", "", "about"],
    ["/mentions_legales.php", "", "imprint"],
    ["/p/17", "Über uns", "about"],
    ["/p/18", "お問い合わせはこちら", "contact"],
    ["/%E4%BC%9A%E7%A4%BE%E6%A6%82%E8%A6%81", "", "about"],
    ["/p/19", "Επικοινωνία", "contact"],
    ["/p/20", "Контакты", "contact"],
    ["/yhteystiedot", "", "contact"],
    ["/about/team", "", "people"],
    ["/our-team/", "", "people"],
    ["/quienes-somos", "", "about"],
    ["/datenschutz", "", "legal"],
    ["/about-us/contact-us", "", "contact"],
    ["/blog/how-to-contact-your-senator-today", "", undefined],
    ["/products/steamer", "", undefined],
    ["/contactless-payments", "", undefined],
    ["/%ff%fe", "", undefined],
    ["/", "", undefined],
  ])("%s “%s” is %s", (path, text, worth) => {
    expect(worthOf({ url: new URL(path, "https://example.org").href, text })).toBe(worth);
  });
});
