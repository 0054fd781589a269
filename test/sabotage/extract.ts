import type { Sabotage } from "./sabotage.ts";

const emails = "src/extract/email/emails.test.ts";
const phones = "src/extract/phone/phones.test.ts";
const socials = "src/extract/social/socials.test.ts";
const page = "src/extract/extract-page.test.ts";
const kinds = "src/extract/kinds-of-pages.test.ts";
const hostile = "src/extract/hostile-pages.test.ts";
const scanner = "src/extract/page/page-scanner.test.ts";
const marks = "src/extract/text/marks.test.ts";

export const extractSabotages: readonly Sabotage[] = [
  {
    name: "any suffix is a public one",
    file: "src/extract/email/check-address.ts",
    find: "if (!registered || !isIcann || isIp || isSpecialUse) return undefined;",
    replace: "if (!registered || isIp) return undefined;",
    caughtBy: `${emails} > no public suffix`,
  },
  {
    name: "names of files pass for domains",
    file: "src/extract/email/check-address.ts",
    find: "if (assets.has(suffix)) return undefined;",
    replace: "if (assets.size === 0) return undefined;",
    caughtBy: `${emails} > a file whose ending is a suffix too`,
  },
  {
    name: "placeholders are addresses",
    file: "src/extract/email/check-address.ts",
    find: "if (isPlaceholder(local, own) || isSenderOnly(local)) return undefined;",
    replace: "if (isSenderOnly(local)) return undefined;",
    caughtBy: `${emails} > placeholders`,
  },
  {
    name: "what is hidden is read all the same",
    file: "src/extract/page/page-pass.ts",
    find: "const isHidden = scope.isHidden || effect.isHidden ||",
    replace: "const isHidden = effect.isHidden &&",
    caughtBy: `${emails} > a trap that is hidden`,
  },
  {
    name: "keys and opaque names are mailboxes",
    file: "src/extract/email/check-address.ts",
    find: "if (isTechnical(local, host)) return undefined;",
    replace: "",
    caughtBy: `${emails} > an opaque key`,
  },
  {
    name: "parts of URLs are addresses",
    file: "src/extract/email/find-addresses.ts",
    find: "if (before === atSign || isInUrl(text, start)) return undefined;",
    replace: "if (before === atSign) return undefined;",
    caughtBy: `${emails} > a user in a URL`,
  },
  {
    name: "the setting is ignored: everything is decoded",
    file: "src/extract/email/email-collector.ts",
    find: 'const isAll = deobfuscate === "all";',
    replace: 'const isAll = deobfuscate !== "off";',
    caughtBy: `${emails} > finds its forms and no others`,
  },
  {
    name: "the site's own addresses rank like anybody's",
    file: "src/extract/email/rank-email.ts",
    find: '(owner === "own" ? 100 : owner === "provider" ? 40 : 0)',
    replace: "0",
    caughtBy: `${emails} > own domain before mail provider before others`,
  },
  {
    name: "a fax is a telephone",
    file: "src/extract/phone/phone-collector.ts",
    find: 'const target = one.says === "fax" ? faxes : phones;',
    replace: "const target = phones;",
    caughtBy: `${phones} > a fax is a fax, and kept as one`,
  },
  {
    name: "numbers of accounts and registers are dialled",
    file: "src/extract/phone/phone-collector.ts",
    find: 'if (one.says === "other") {',
    replace: 'if (one.says === "other" && one.text === "") {',
    caughtBy: `${phones} > an order`,
  },
  {
    name: "links to share are profiles",
    file: "src/extract/social/networks.ts",
    find: "if (network.reserved.has(first)) return undefined;",
    replace: "",
    caughtBy: `${socials} > https://twitter.com/search?q=x`,
  },
  {
    name: "lesson 43: a wall's name is the company's",
    file: "src/extract/extract-page.ts",
    find: "const isReal = sign.parked === undefined && sign.blocked === undefined;",
    replace: "const isReal = true;",
    caughtBy: `${page} > is not taken from a wall`,
  },
  {
    name: "names keep their markup",
    file: "src/extract/text/clean-text.ts",
    find: '.replace(/<\\/?[a-z!][^<>]{0,1000}>/gi, " ");',
    replace: ";",
    caughtBy: `${page} > has no markup in it`,
  },
  {
    name: "control characters stay in values",
    file: "src/extract/text/characters.ts",
    find: "return (bits & marks.odd) === 0 ? text : withoutOdd(text, bits);",
    replace: 'return bits === -1 ? "" : text;',
    caughtBy: `${hostile} > control characters, among them our own separator`,
  },
  {
    name: "a page of any length is read whole",
    file: "src/extract/extract-page.ts",
    find: "input.html.length > charsMax ?",
    replace: "input.html.length > charsMax * 1e9 ?",
    caughtBy: `${hostile} > what is too long is cut, and that is said`,
  },
  {
    name: "a page without a hint of its country has no numbers",
    file: "src/extract/phone/phone-collector.ts",
    find: 'options.country ?? (northAmerican.test(one.text) ? "US" : undefined)',
    replace: "options.country",
    caughtBy: `${kinds} > tables and font tags of 1999`,
  },
  {
    name: "tax numbers behind a country's letters are telephones",
    file: "src/extract/phone/phone-collector.ts",
    find: "isTaxNumber(before, number)",
    replace: "(isTaxNumber(before, number) && number === text)",
    caughtBy: `${kinds} > German imprint of a limited company`,
  },
  {
    name: "words and numbers of different elements are glued",
    file: "src/extract/phone/phone-collector.ts",
    find: "search(unglued(text, seams))",
    replace: "search(unglued(text, seams.slice(0, 0)))",
    caughtBy: `${kinds} > addresses glued to their neighbours`,
  },
  {
    name: "any number that ends like an account's is that account",
    file: "src/extract/phone/phone-collector.ts",
    find: "others.has(written.get(value)!)",
    replace: "(others.has(written.get(value)!) || [...others].some((one) => value.endsWith(one)))",
    caughtBy: `${kinds} > Dutch company with KvK and BTW`,
  },
  {
    name: "rules with an element's name hide nothing",
    file: "src/extract/page/style-rules.ts",
    find: "hidden.has(name) || hidden.has(tag + name)",
    replace: "hidden.has(name)",
    caughtBy: `${kinds} > decoys that a style hides`,
  },
  {
    name: "what stands in a script is taken for tags",
    file: "src/extract/page/page-scanner.ts",
    find: 'return raw === "none" ? after : rawText(after, kind);',
    replace: "return after;",
    caughtBy: `${scanner} > any page`,
  },
  {
    name: "a comment ends at the first bracket",
    file: "src/extract/page/page-scanner.ts",
    find: "if (last > start && codes[last] === dash && codes[last - 1] === dash) return at + 1;",
    replace: "if (last > start) return at + 1;",
    caughtBy: `${scanner} > any page`,
  },
  {
    name: "a word that two elements share is searched for in neither",
    file: "src/extract/text/marks.ts",
    find: "(isSplitWord ? marks.cue : 0) |",
    replace: "",
    caughtBy: `${marks} > joined marks miss nothing`,
  },
];
