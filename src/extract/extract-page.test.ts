import { describe, expect, test } from "vitest";
import { extractFrom } from "./testing/extract-from.ts";

const jsonLd = (json: string) => `<script type="application/ld+json">${json}</script>`;

describe("structured data", () => {
  test("a business in JSON-LD, with everything it may say", () => {
    const { organizations, name } = extractFrom(
      jsonLd(`{ "@context": "https://schema.org", "@type": ["HomeAndConstructionBusiness", "http://schema.org/Plumber"],
        "name": "Brandt &amp; Söhne", "legalName": "Brandt GmbH", "url": "https://brandt.de", "logo": {"@type": "ImageObject", "url": "https://brandt.de/l.png"},
        "telephone": "089 1", "email": "a@brandt.de", "faxNumber": "089 2", "vatID": "DE1", "priceRange": "$$", "areaServed": ["München", {"@type": "City", "name": "Dachau"}],
        "contactPoint": [{"@type": "ContactPoint", "telephone": "089 3", "email": "b@brandt.de"}],
        "address": {"@type": "PostalAddress", "streetAddress": "Weg 5", "postalCode": "80331", "addressLocality": "München", "addressRegion": "BY", "addressCountry": {"@type": "Country", "name": "DE"}},
        "geo": {"latitude": "48.13", "longitude": 11.57}, "aggregateRating": {"ratingValue": "4,7", "reviewCount": "33"},
        "openingHoursSpecification": [{"dayOfWeek": ["https://schema.org/Monday", "Tuesday"], "opens": "08:00", "closes": "17:00:00"}],
        "openingHours": "Mo-Fr 08:00-17:00", "sameAs": "https://www.facebook.com/brandt" }`),
    );
    expect(organizations).toEqual([
      {
        types: ["HomeAndConstructionBusiness", "Plumber"],
        name: "Brandt & Söhne",
        legalName: "Brandt GmbH",
        url: "https://brandt.de/",
        logo: "https://brandt.de/l.png",
        emails: ["a@brandt.de", "b@brandt.de"],
        phones: ["089 1", "089 3"],
        fax: "089 2",
        address: { street: "Weg 5", city: "München", zip: "80331", state: "BY", country: "DE" },
        latitude: 48.13,
        longitude: 11.57,
        hours: ["Mo-Fr 08:00-17:00", "Mo,Tu 08:00-17:00"],
        rating: 4.7,
        reviews: 33,
        sameAs: ["https://www.facebook.com/brandt"],
        vatId: "DE1",
        priceRange: "$$",
        areasServed: ["München", "Dachau"],
      },
    ]);
    expect(name).toBe("Brandt & Söhne");
  });

  test.each([
    [
      "a graph",
      `{"@graph":[{"@type":"WebPage","name":"x"},{"@type":"Dentist","name":"Dr. Brandt"}]}`,
    ],
    ["a list", `[{"@type":"WebPage"},{"@type":"Dentist","name":"Dr. Brandt"}]`],
    ["inside a page", `{"@type":"WebPage","publisher":{"@type":"Dentist","name":"Dr. Brandt"}}`],
    [
      "comments and trailing commas",
      `{ // a note\n "@type":"Dentist", /* more */ "name":"Dr. Brandt", }`,
    ],
    ["line breaks in strings", `{"@type":"Dentist","name":"Dr.\nBrandt"}`],
    ["CDATA around it", `//<![CDATA[\n{"@type":"Dentist","name":"Dr. Brandt"}\n//]]>`],
    ["a semicolon after it", `{"@type":"Dentist","name":"Dr. Brandt"};`],
  ])("JSON-LD as people write it: %s", (_, json) =>
    expect(extractFrom(jsonLd(json)).organizations).toMatchObject([{ name: "Dr. Brandt" }]),
  );

  test("microdata, nested, with values in attributes and in text", () => {
    const html = `<div itemscope itemtype="https://schema.org/Restaurant"><h1><span itemprop="name">Zur <b>Linde</b></span> – Menu</h1>
      <div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress"><span itemprop="streetAddress">Weg 5</span>, <span itemprop="addressLocality">Ulm</span></div>
      <meta itemprop="priceRange" content="€€"><a itemprop="sameAs" href="https://www.facebook.com/linde">f</a>
      <div itemprop="geo" itemscope><meta itemprop="latitude" content="48.4"><meta itemprop="longitude" content="9.9"></div></div>`;
    expect(extractFrom(html).organizations).toMatchObject([
      {
        types: ["Restaurant"],
        name: "Zur Linde",
        address: { street: "Weg 5", city: "Ulm" },
        priceRange: "€€",
        latitude: 48.4,
        longitude: 9.9,
        sameAs: ["https://www.facebook.com/linde"],
      },
    ]);
  });
});

describe("the company's name", () => {
  test.each(["Home", "403 Forbidden", "Bot Verification", "Tischlerei Brandt – Startseite"])(
    "lesson 43: never comes from a title: %s",
    (title) => {
      const facts = extractFrom(`<title>${title}</title><h1>${title}</h1><p>Guten Tag</p>`);
      expect(facts.title).toBe(title);
      expect(facts.name).toBeUndefined();
    },
  );

  test.each([
    [
      "og:site_name",
      `<meta property="og:site_name" content="Tischlerei Brandt">`,
      "Tischlerei Brandt",
    ],
    ["an imprint", "<h1>Impressum</h1><p>Brandt Holzbau GmbH<br>Weg 5</p>", "Brandt Holzbau GmbH"],
    [
      "a copyright line",
      "<footer>© 2019–2024 Tischlerei Brandt. Alle Rechte vorbehalten</footer>",
      "Tischlerei Brandt",
    ],
    ["a Japanese form", "<p>株式会社木村工務店</p>", "株式会社木村工務店"],
  ])("comes from %s", (_, html, name) => expect(extractFrom(html).name).toBe(name));

  test.each(["Home", "My Site", "403 Forbidden", "WordPress"])(
    "is not %s, wherever that stands",
    (name) =>
      expect(extractFrom(`<meta property="og:site_name" content="${name}">`).name).toBeUndefined(),
  );

  test("is not taken from a wall", () => {
    const html = `<title>Just a moment...</title><meta property="og:site_name" content="Wall Inc"><p>Checking your browser</p>`;
    expect(extractFrom(html)).toMatchObject({ blocked: "bot_check" });
    expect(extractFrom(html).name).toBeUndefined();
  });

  test("has no markup in it", () => {
    const html = jsonLd(`{"@type":"Store","name":"<script>alert(1)<\\/script>Brandt <b>Holz</b>"}`);
    expect(extractFrom(html).name).toBe("Brandt Holz");
  });
});

describe("people", () => {
  test("of a team page: name, role, and the contacts beside them", () => {
    const html = `<nav><a href="/">Anna Menü</a></nav><h2>Unser Team</h2>
      <div><h3>Dr. Anna Brandt</h3><p>Geschäftsführerin</p><p><a href="mailto:anna@tischlerei-brandt.de">Mail</a> Tel. 089 12345678</p></div>
      <div><h3>Ben van der Meer</h3><p>Tischlermeister</p></div>
      <div><h3>Unsere Werkstatt</h3><p>Leitung und Meister</p></div>`;
    expect(extractFrom(html).people).toEqual([
      {
        name: "Anna Brandt",
        role: "Geschäftsführerin",
        email: "anna@tischlerei-brandt.de",
        phone: "+498912345678",
        url: "https://www.tischlerei-brandt.de/kontakt",
      },
      {
        name: "Ben van der Meer",
        role: "Tischlermeister",
        url: "https://www.tischlerei-brandt.de/kontakt",
      },
    ]);
  });

  test.each([
    ["<p>Geschäftsführer: Anna Brandt</p>", "Geschäftsführer"],
    ["<p>Inhaberin – Anna Brandt</p>", "Inhaberin"],
    ["<p>Gérante : Anna Brandt</p>", "Gérante"],
    ["<p>Owner: Anna Brandt</p>", "Owner"],
    ["<p>Titolare: Anna Brandt</p>", "Titolare"],
    ["<p>Anna Brandt, Owner</p>", "Owner"],
    ["<p>Anna Brandt (Directrice)</p>", "Directrice"],
  ])("introduced by %s", (html, role) =>
    expect(extractFrom(html).people).toMatchObject([{ name: "Anna Brandt", role }]),
  );

  test("are not made of headlines, menus and authors", () => {
    const html =
      `<ul><li><a href="/a">Most Popular</a></li><li><a href="/b">Marketing Director jobs</a></li></ul>
      <h3>New York</h3><p>How to find a doctor?</p>` +
      jsonLd(`{"@type":"Article","author":{"@type":"Person","name":"Carl Autor"}}`);
    expect(extractFrom(html).people).toEqual([]);
  });
});

describe("services and products", () => {
  test("are the lists below a heading that says so, without menus", () => {
    const html = `<nav><h2>Leistungen</h2><ul><li>Menüpunkt</li></ul></nav><main><h2>Unsere Leistungen</h2>
      <ul><li>• Treppenbau</li><li><a href="/f">Fenster</a></li><li>Mehr erfahren</li><li>Kontakt</li></ul><h3>Möbel nach Maß</h3>
      <h2>Produkte</h2><ul><li>Tische</li></ul><h2>Anfahrt</h2><ul><li>Mit der Bahn</li></ul></main>`;
    expect(extractFrom(html)).toMatchObject({
      services: ["Treppenbau", "Fenster", "Möbel nach Maß"],
      products: ["Tische"],
    });
  });

  test("come from structured data too", () => {
    const html = jsonLd(
      `{"@type":"Store","makesOffer":{"@type":"Offer","itemOffered":{"@type":"Service","name":"Dachausbau"}}}`,
    );
    expect(extractFrom(html).services).toEqual(["Dachausbau"]);
  });
});

describe("links", () => {
  test("any amount of space is not part of a link's words", () => {
    const html = `<a href="/a">${"<b>\n".repeat(200)}${" ".repeat(900)}</b>Our <i>oak</i> tables</a>`;
    expect(extractFrom(html).links.map(({ text }) => text)).toEqual(["Our oak tables"]);
  });

  test("links before a base start from the page, those after it from the base", () => {
    const html = `<a href="/a">1</a><base href="https://other.example/x/"><a href="/a">2</a><a href="b">3</a>`;
    expect(extractFrom(html).links.map(({ href }) => href)).toEqual([
      "https://www.tischlerei-brandt.de/a",
      "https://other.example/a",
      "https://other.example/x/b",
    ]);
  });

  test("are absolute, seen, each once at its best place, with text and rel", () => {
    const html = `<base href="/de/"><header><a href="kontakt#form">Kontakt</a></header><p><a href="kontakt">hier</a>
      <a rel="nofollow noopener" href="https://other.de/x?page=2"><b>Partner</b> 2</a><a href="mailto:a@b.de">m</a><a href="javascript:x()">j</a><a href="#top">t</a>
      <a href="/falle" style="display:none">Falle</a></p><div hidden><a href="/falle2">x</a></div><footer><a href="/impressum" aria-label="Impressum"><img src="i.png"></a></footer>`;
    expect(extractFrom(html).links).toEqual([
      {
        href: "https://www.tischlerei-brandt.de/de/kontakt",
        where: "header",
        text: "hier",
        rel: [],
      },
      {
        href: "https://other.de/x?page=2",
        where: "body",
        text: "Partner 2",
        rel: ["nofollow", "noopener"],
      },
      {
        href: "https://www.tischlerei-brandt.de/impressum",
        where: "footer",
        text: "Impressum",
        rel: [],
      },
    ]);
  });

  test.each([
    "/a/b",
    "/a.html?page=2",
    "/a/../b",
    "/a/./b",
    "//other.de/x",
    "/ä",
    "/a b",
    "?x=1",
    "b",
    "/a%20b",
    "/x#y",
    "/.",
    "/a?b=c#d",
    "/%zz",
  ])("%s becomes what a browser makes of it", (href) => {
    const url = new URL(href, "https://www.tischlerei-brandt.de/kontakt");
    url.hash = "";
    expect(extractFrom(`<a href="${href}">x</a>`).links.map((link) => link.href)).toEqual([
      url.href,
    ]);
  });

  test.each([
    [`<div class="site-footer">`, "footer"],
    [`<div id="main-menu">`, "header"],
    [`<div role="contentinfo">`, "footer"],
    [`<main><header>`, "body"],
    [`<div class="football">`, "body"],
  ])("in %s are in the %s", (around, where) =>
    expect(extractFrom(`${around}<a href="/x">x</a>`).links).toMatchObject([{ where }]),
  );
});

describe("about the page itself", () => {
  test("title, description, canonical address, refresh, robots, language", () => {
    const html = `<html lang="de-AT"><title> A &amp;\n B </title><svg><title>logo</title></svg><link rel="canonical" href="/a"><meta name="description" content="D">
      <meta http-equiv="refresh" content="3; URL='/neu'"><meta name="robots" content="NOINDEX, nofollow">`;
    expect(extractFrom(html)).toMatchObject({
      title: "A & B",
      description: "D",
      canonicalUrl: "https://www.tischlerei-brandt.de/a",
      refreshUrl: "https://www.tischlerei-brandt.de/neu",
      robots: ["noindex", "nofollow"],
      language: "de",
    });
  });

  test.each([
    [
      "de",
      "Wir sind der Betrieb für das Holz und die Möbel in der Stadt, und wir freuen uns auf Sie.",
    ],
    [
      "fr",
      "Nous sommes le spécialiste de la menuiserie dans la région et nous sommes à votre service pour les projets.",
    ],
    [
      "en",
      "We are the company for all of your furniture and we have the best wood in the town for you.",
    ],
    [
      "ja",
      "私たちは東京の木工所です。お気軽にお問い合わせください。家具のことならおまかせを。よろしくお願いします。",
    ],
  ])("the language %s by its words", (language, text) =>
    expect(extractFrom(`<p>${text}</p>`).language).toBe(language),
  );

  test("what it is made with, and what it is about", () => {
    const html = `<meta name="generator" content="WordPress 6.4"><meta name="keywords" content="Holz, Möbel"><script src="/wp-includes/js/jquery.min.js"></script><h1>Treppenbau in Ulm</h1>`;
    expect(extractFrom(html).tech).toEqual(["WordPress", "jQuery"]);
    expect(extractFrom(html).keywords).toEqual(["holz", "möbel", "treppenbau"]);
  });

  test.each([
    [`<div id="root"></div><script src="/app.js"></script>`, true],
    [
      `<noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div><script src="/a.js"></script>`,
      true,
    ],
    [`<app-root></app-root><script src="/main.js"></script>`, true],
    [`<p>${"Wir bauen Treppen. ".repeat(30)}</p><script src="/a.js"></script>`, false],
    [`<p>Kurz.</p>`, false],
  ])("whether scripts must run first: %s → %s", (html, needsScripts) =>
    expect(extractFrom(html).needsScripts).toBe(needsScripts),
  );

  test.each([
    ["for_sale", "<h1>brandt.com</h1><p>This domain is for sale!</p>"],
    ["for_sale", "<p>Diese Domain steht zum Verkauf</p>"],
    ["parked", "<p>This page is parked free, courtesy of a registrar</p>"],
    ["default_page", "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>"],
    ["default_page", "<title>Apache2 Ubuntu Default Page: It works</title>"],
    ["listing", "<title>Index of /</title><h1>Index of /</h1>"],
  ])("is nobody's: %s", (parked, html) => expect(extractFrom(html).parked).toBe(parked));

  test("an article about parking is not a parked domain", () => {
    const html = `<p>We help when a domain is parked. ${"More about that. ".repeat(200)}</p>`;
    expect(extractFrom(html).parked).toBeUndefined();
  });

  test.each([
    [
      "bot_check",
      "<title>Attention Required! | Cloudflare</title><p>Please complete the security check</p>",
    ],
    ["forbidden", "<title>403 Forbidden</title><h1>Forbidden</h1>"],
    ["error", "<title>503 Service Temporarily Unavailable</title>"],
  ])("is a wall: %s", (blocked, html) => expect(extractFrom(html).blocked).toBe(blocked));
});
