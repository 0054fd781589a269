import { describe, expect, test } from "vitest";
import { cloudflareHex, emailsIn, extractFrom } from "../testing/extract-from.ts";
import { rot13 } from "./ciphers.ts";

const own = "info@tischlerei-brandt.de";
const codes = (text: string): string => Array.from(text, (sign) => sign.charCodeAt(0)).join(",");

/** One row: how it is written, and in which settings it is found. */
const forms: readonly (readonly [name: string, html: string, from: "off" | "simple" | "all"])[] = [
  ["a link", `<a href="mailto:${own}">Mail</a>`, "off"],
  ["plain text", `<p>Schreiben Sie an ${own}.</p>`, "off"],
  ["a link with a subject", `<a href="mailto:${own}?subject=a%40b.de&body=x@y.de">Mail</a>`, "off"],
  ["percent codes", `<a href="mailto:info%40tischlerei-brandt.de">Mail</a>`, "off"],
  ["percent codes twice", `<a href="mailto:info%2540tischlerei-brandt.de">Mail</a>`, "off"],
  [
    "every letter as a percent code",
    `<a href="mailto:%69%6e%66%6f@tischlerei-brandt.de">M</a>`,
    "off",
  ],
  ["mailto twice", `<a href="mailto:mailto:${own}">Mail</a>`, "off"],
  ["mailto as if it were a host", `<a href="mailto://${own}">Mail</a>`, "off"],
  ["http before mailto", `<a href="http://mailto:${own}">Mail</a>`, "off"],
  ["capitals and spaces", `<a href=" MAILTO: Info@Tischlerei-Brandt.DE ">Mail</a>`, "off"],
  ["name and angle brackets", `<a href="mailto:Anna%20%3C${own}%3E">Mail</a>`, "off"],
  ["a full stop at the end", `<a href="mailto:${own}.">Mail</a>`, "off"],
  ["only to=", `<a href="mailto:?to=${own}&subject=x">Mail</a>`, "off"],
  ["a forgotten mailto", `<a href="${own}">Mail</a>`, "off"],
  ["decimal entities", "<p>info&#64;tischlerei-brandt&#46;de</p>", "off"],
  ["hex entities", "<p>&#x69;nfo&#x40;tischlerei-brandt&#x2e;de</p>", "off"],
  ["named entities", "<p>info&commat;tischlerei-brandt&period;de</p>", "off"],
  [
    "entities in the link",
    `<a href="&#109;ailto&colon;info&#64;tischlerei-brandt.de">M</a>`,
    "off",
  ],
  [
    "JSON-LD",
    `<script type="application/ld+json">{"@type":"Store","email":"mailto:${own}"}</script>`,
    "off",
  ],
  [
    "microdata",
    `<div itemscope itemtype="https://schema.org/Store"><span itemprop="email">${own}</span></div>`,
    "off",
  ],
  ["a meta element", `<meta name="reply-to" content="${own}">`, "off"],
  ["the alt text of a picture", `<img src="mail.png" alt="E-Mail: ${own}">`, "off"],
  [
    "application state",
    `<script id="__NEXT_DATA__" type="application/json">{"p":{"contactEmail":"${own}"}}</script>`,
    "off",
  ],

  ["[at] and [dot]", "<p>info [at] tischlerei-brandt [dot] de</p>", "simple"],
  ["(at)", "<p>info(at)tischlerei-brandt.de</p>", "simple"],
  ["(at) with a dot in words", "<p>info (at) tischlerei-brandt (punkt) de</p>", "simple"],
  ["{at}", "<p>info{at}tischlerei-brandt{dot}de</p>", "simple"],
  ["<at>", "<p>info&lt;at&gt;tischlerei-brandt.de</p>", "simple"],
  ["_at_", "<p>info_at_tischlerei-brandt.de</p>", "simple"],
  ["-at-", "<p>info -at- tischlerei-brandt.de</p>", "simple"],
  ["[@]", "<p>info[@]tischlerei-brandt.de</p>", "simple"],
  ["(ät)", "<p>info (ät) tischlerei-brandt.de</p>", "simple"],
  ["AT and DOT", "<p>info AT tischlerei-brandt DOT de</p>", "simple"],
  ["at and dot in small letters", "<p>info at tischlerei-brandt dot de</p>", "simple"],
  ["ät and punkt", "<p>info ät tischlerei-brandt punkt de</p>", "simple"],
  ["arroba", "<p>info arroba tischlerei-brandt punto de</p>", "simple"],
  ["(arobase)", "<p>info(arobase)tischlerei-brandt.de</p>", "simple"],
  ["[chiocciola]", "<p>info [chiocciola] tischlerei-brandt.de</p>", "simple"],
  ["klammeraffe", "<p>info klammeraffe tischlerei-brandt punkt de</p>", "simple"],
  ["(snabel-a)", "<p>info (snabel-a) tischlerei-brandt.de</p>", "simple"],
  ["(at-sign)", "<p>info (at-sign) tischlerei-brandt.de</p>", "simple"],
  ["a wide sign", "<p>info＠tischlerei-brandt.de</p>", "simple"],
  ["spaces around the sign", "<p>info @ tischlerei-brandt.de</p>", "simple"],
  ["the sign, and a dot in words", "<p>info@tischlerei-brandt [dot] de</p>", "simple"],
  ["(at) in a link", `<a href="mailto:info(at)tischlerei-brandt.de">Mail</a>`, "simple"],
  ["a sign in an element of its own", "<p>info<span>@</span>tischlerei-brandt.de</p>", "simple"],
  [
    "many elements",
    "<p><i>in</i><b>fo</b><span>@</span><u>tischlerei</u>-<u>brandt</u>.<i>de</i></p>",
    "simple",
  ],
  [
    "a decoy that is hidden",
    `<p>info<span style="display: none">.spam</span>@tischlerei-brandt.de</p>`,
    "simple",
  ],
  [
    "a decoy hidden by a class",
    `<style>.x9 { display:none }</style><p>info@<b class="x9">not.</b>tischlerei-brandt.de</p>`,
    "simple",
  ],
  ["NOSPAM in the name", "<p>infoNOSPAM@tischlerei-brandt.de</p>", "simple"],
  ["REMOVE-THIS in the domain", "<p>info@REMOVE-THIS.tischlerei-brandt.de</p>", "simple"],
  [
    "a picture of the sign",
    `<p>info<img src="/img/at.png" alt="@">tischlerei-brandt.de</p>`,
    "simple",
  ],
  ["an icon of the sign", `<p>info<i class="fa fa-at"></i>tischlerei-brandt.de</p>`, "simple"],

  [
    "Cloudflare's attribute",
    `<span class="__cf_email__" data-cfemail="${cloudflareHex(own)}">[email&#160;protected]</span>`,
    "all",
  ],
  ["Cloudflare's link", `<a href="/cdn-cgi/l/email-protection#${cloudflareHex(own)}">x</a>`, "all"],
  [
    "strings added up",
    `<script>document.write('info'+'@'+'tischlerei-brandt'+'.de')</script>`,
    "all",
  ],
  [
    "variables",
    `<script>var u = "info", d = "tischlerei-brandt.de"; el.href = "mailto:" + u + "@" + d;</script>`,
    "all",
  ],
  [
    "markup in a script",
    `<script>document.write("<a hr" + "ef='mai" + "lto:info" + "&#64;" + "tischlerei-brandt.de'>x</a>")</script>`,
    "all",
  ],
  ["joined parts", `<script>x(["info","tischlerei-brandt.de"].join("@"))</script>`, "all"],
  [
    "backwards in a script",
    `<script>x("ed.tdnarb-ierelhcsit@ofni".split("").reverse().join(""))</script>`,
    "all",
  ],
  [
    "replaced words",
    `<script>x("info[at]tischlerei-brandt.de".replace("[at]", "@"))</script>`,
    "all",
  ],
  ["base64", `<script>x(atob("${Buffer.from(own).toString("base64")}"))</script>`, "all"],
  ["character codes", `<script>x(String.fromCharCode(${codes(own)}))</script>`, "all"],
  ["unescape", `<script>x(unescape("%69nfo%40tischlerei-brandt.de"))</script>`, "all"],
  ["escapes in a string", `<script>x("info\\x40tischlerei-brandt\\u002ede")</script>`, "all"],
  [
    "ROT13",
    `<script>x("${rot13(`mailto:${own}`)}".replace(/[a-zA-Z]/g, function (c) { return r(c, 13) }))</script>`,
    "all",
  ],
  [
    "what Joomla writes",
    "<script>var addy1 = '&#105;nf&#111;' + '&#64;'; addy1 = addy1 + 't&#105;schlerei-brandt' + '&#46;' + 'de';</script>",
    "all",
  ],
  [
    "what TYPO3 writes",
    `<a href="javascript:linkTo_UnCryptMailto('nbjmup+jogpAujtdimfsfj.csboeu\\/ef');">x</a>`,
    "all",
  ],
  [
    "TYPO3's attribute",
    `<a data-mailto-token="nbjmup+jogpAujtdimfsfj.csboeu/ef" data-mailto-vector="1">x</a>`,
    "all",
  ],
  [
    "a script in a click",
    `<a href="#" onclick="location.href='mai'+'lto:'+'info'+'@'+'tischlerei-brandt.de'">x</a>`,
    "all",
  ],
  ["a call with its parts", `<script>writeMail('info', 'tischlerei-brandt.de')</script>`, "all"],
  ["a call with three parts", `<script>noSpam("info", "tischlerei-brandt", "de")</script>`, "all"],
  [
    "data-user and data-domain",
    `<a data-user="info" data-domain="tischlerei-brandt.de">x</a>`,
    "all",
  ],
  [
    "data in three parts",
    `<a data-name="info" data-domain="tischlerei-brandt" data-tld="de">x</a>`,
    "all",
  ],
  ["data in ROT13", `<a data-enc-email="${rot13("info[at]tischlerei-brandt.de")}">x</a>`, "all"],
  ["data in base64", `<a data-email="${Buffer.from(own).toString("base64")}">x</a>`, "all"],
  [
    "backwards by its style",
    `<p style="unicode-bidi:bidi-override; direction:rtl">ed.tdnarb-ierelhcsit@ofni</p>`,
    "all",
  ],
  [
    "backwards by a class",
    `<style>.r{direction:rtl;unicode-bidi:bidi-override}</style><b class="r">ed.tdnarb-ierelhcsit@ofni</b>`,
    "all",
  ],
  ["backwards by bdo", `<bdo dir="rtl">ed.tdnarb-ierelhcsit@ofni</bdo>`, "all"],
  ["backwards by a style that is not here", "<p>ed.tdnarb-ierelhcsit@ofni</p>", "all"],
];

describe("an address is found when it is written as", () => {
  test.each(forms)("%s", (_, html) => expect(emailsIn(html)).toEqual([own]));
});

describe("deobfuscate", () => {
  const order = ["off", "simple", "all"] as const;
  test.each(order)("%s finds its forms and no others", (deobfuscate) => {
    const wrong = forms.filter(([, html, from]) => {
      const isFound = emailsIn(html, { deobfuscate }).includes(own);
      return isFound !== order.indexOf(deobfuscate) >= order.indexOf(from);
    });
    expect(wrong.map(([name, , from]) => `${name} (${from})`)).toEqual([]);
  });
});

test("several addresses of one link", () => {
  const html = `<a href="mailto:anna@firma-eins.de,%20ben@firma-zwei.de;cleo@firma-drei.de?cc=dora@firma-vier.de">x</a>`;
  expect(emailsIn(html)).toEqual([
    "anna@firma-eins.de",
    "ben@firma-zwei.de",
    "cleo@firma-drei.de",
    "dora@firma-vier.de",
  ]);
});

describe("words that were glued to an address are taken off", () => {
  test.each([
    ["a number before", `<p>878-5717${own}</p>`],
    ["a word after", `<p>${own}Follow us</p>`],
    ["capitals after", `<p>${own}TEL</p>`],
    ["the next sentence", `<p>${own}.Bitte schreiben Sie</p>`],
    ["elements side by side", `<p><b>E-Mail</b><span>${own}</span><span>Telefon</span></p>`],
    ["Chinese", `<p>邮箱${own}请联系</p>`],
    ["Japanese", `<p>メール：${own}まで</p>`],
    ["brackets", `<p>(${own})</p>`],
    ["a slash between two", `<p>${own}/${own}</p>`],
  ])("%s", (_, html) => expect(emailsIn(html)).toEqual([own]));

  test("but not the end of a domain in another element", () =>
    expect(emailsIn("<p><b>info@brandt-joinery.co</b>.uk</p>")).toEqual([
      "info@brandt-joinery.co.uk",
    ]));
});

describe("lesson 51: what is not an address of a company is not used:", () => {
  test.each([
    [
      "a picture for fine screens",
      "<p>badge_22_8@2x.png badge_22_8@2x-150x150.png logo@3x.webp</p>",
    ],
    ["a key of an error tracker", "<p>https://9f8e7d6c5b4a39281706@o4504.ingest.sentry.io/450</p>"],
    [
      "the same in a script",
      `<script>init({dsn:"https://9f8e7d6c5b4a39281706@o4504.ingest.sentry.io/450"})</script>`,
    ],
    [
      "an opaque key",
      "<p>50d1a2b3c4d5e6f708192a3b@time.fyre.co 7c9e6679-7425-40de-944b-e07fc1f90ae7@mail.host.de</p>",
    ],
    [
      "placeholders",
      "<p>user@example.com name@domain.com vous@example.fr you@yourcompany.com ihr.name@firma-x.de max.mustermann@web.de john.doe@gmail.com firstname.lastname@tischlerei-brandt.de test@test.com</p>",
    ],
    [
      "a placeholder attribute",
      `<input placeholder="anna@tischlerei-weber.de"><textarea>anna@tischlerei-weber.de</textarea>`,
    ],
    ["a version", "<p>react@18.2.0 vue@3.4 lodash@4.17.21.js jquery@3.7.1.min.js</p>"],
    ["a file whose ending is a suffix too", "<p>foto@haus.zip film@haus.mov</p>"],
    ["a repository", "<p>git@github.com:acme/tool.git git@tischlerei-brandt.de:repo/x</p>"],
    ["an account elsewhere", "<p>@brandt@mastodon.social @brandt</p>"],
    ["a place on a map", "<p>https://maps.host.de/@59.93,30.31,15z</p>"],
    [
      "a user in a URL",
      "<p>https://anna:geheim@tischlerei-weber.de/ ftp://anna@tischlerei-weber.de</p>",
    ],
    ["a path of an object", "<p>sprinkledbody.content@filterempty.0.headline a.b@c.d</p>"],
    [
      "no public suffix",
      "<p>anna@localhost anna@server.local anna@haus.intern anna@co.uk anna@de</p>",
    ],
    ["an address of a machine", "<p>anna@127.0.0.1 anna@[10.0.0.1]</p>"],
    [
      "senders nobody reads",
      "<p>noreply@tischlerei-brandt.de no-reply+1@firma-x.de mailer-daemon@firma-x.de</p>",
    ],
    [
      "makers of sites and fonts",
      "<p>x@wixpress.com team@latofonts.com a@sentry.io hi@squarespace.com</p>",
    ],
    ["numbers alone", "<p>12345@firma-x.de 1.2@firma-x.de</p>"],
    ["two dots", "<p>anna..b@firma-x.de .@firma-x.de -@firma-x.de</p>"],
    ["a letter with an accent before", "<p>büro@firma-x.de</p>"],
    [
      "meeting somewhere",
      "<p>Meet us at tischlerei-brandt.de, look at google dot com, we are at home. Dot.</p>",
    ],
    ["a bare domain in words", "<p>gmail dot com, brandt punkt de</p>"],
    ["prices", "<p>5 @ 3.50, 10 @ 2.de</p>"],
    [
      "a trap that is hidden",
      `<div style="display:none"><a href="mailto:trap@firma-x.de">x</a> trap@firma-y.de</div>`,
    ],
    [
      "a trap with the hidden attribute",
      `<p hidden>trap@firma-x.de</p><template>trap@firma-y.de</template>`,
    ],
    ["a trap far off the page", `<p style="position:absolute; left:-9999px">trap@firma-x.de</p>`],
    [
      "a trap hidden by a class",
      `<style>a.b{color:red} .hp, #pot { display : none; }</style><p class="a hp">trap@firma-x.de</p><p id="pot">trap@firma-y.de</p>`,
    ],
    ["a comment", "<!-- old@firma-x.de -->"],
    ["an option", "<select><option>anna@firma-x.de</option></select>"],
    [
      "an address of somebody in a plain script",
      `<script>var author = "dev@plugin-maker.io";</script>`,
    ],
    ["sharing by mail", `<a href="mailto:?subject=Look&body=https://x.de/a@b">x</a>`],
  ])("%s", (_, html) => expect(emailsIn(html)).toEqual([]));

  test("on their own site they are what they are", () => {
    const html = "<p>hello@squarespace.com</p>";
    expect(emailsIn(html, { url: "https://www.squarespace.com/" })).toEqual([
      "hello@squarespace.com",
    ]);
  });
});

describe("addresses are ranked", () => {
  const ranked = (html: string) => extractFrom(html).emails;

  test("own domain before mail provider before others, links before text", () => {
    const html =
      "<p>x@holzhandel.de brandt@gmail.com</p><p>anna@tischlerei-brandt.de</p>" +
      `<a href="mailto:post@tischlerei-brandt.de">x</a>`;
    expect(ranked(html).map(({ value }) => value)).toEqual([
      "post@tischlerei-brandt.de",
      "anna@tischlerei-brandt.de",
      "brandt@gmail.com",
      "x@holzhandel.de",
    ]);
  });

  test("the agency that made the site comes last", () => {
    const html =
      "<p>Partner: hallo@holzhandel.de</p><footer>Webdesign by <a href='mailto:kontakt@pixelwerk.de'>x</a> kontakt@pixelwerk.de</footer>";
    expect(ranked(html).at(-1)!.value).toBe("kontakt@pixelwerk.de");
  });

  test("role or person, whose domain, label, page and method are kept", () => {
    const html = `<p>Werkstatt: <a href="mailto:werkstatt@tischlerei-brandt.de">Mail</a></p><p>Anna Brandt: anna.brandt@tischlerei-brandt.com</p>`;
    expect(ranked(html)).toMatchObject([
      {
        value: "werkstatt@tischlerei-brandt.de",
        kind: "role",
        owner: "own",
        method: "mailto",
        url: "https://www.tischlerei-brandt.de/kontakt",
      },
      {
        value: "anna.brandt@tischlerei-brandt.com",
        kind: "person",
        owner: "own",
        method: "text",
        label: "Anna Brandt",
      },
    ]);
  });

  test("an address found in several ways is one, by the strongest", () => {
    const html = `<p>${own}</p><a href="mailto:${own.toUpperCase()}">x</a><p>info [at] tischlerei-brandt.de</p>`;
    expect(ranked(html)).toMatchObject([{ value: own, method: "mailto" }]);
  });
});

test("domains in other letters become ASCII", () => {
  expect(emailsIn("<p>info@müller-möbel.de</p>")).toEqual(["info@xn--mller-mbel-kcb9d.de"]);
});
