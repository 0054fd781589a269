import { describe, expect, test } from "vitest";
import { extractPage } from "./extract-page.ts";
import { builderPages } from "./testing/kinds-of-pages/builder-pages.ts";
import { handMadePages } from "./testing/kinds-of-pages/hand-made-pages.ts";
import { imprintPages } from "./testing/kinds-of-pages/imprint-pages.ts";
import { structuredPages } from "./testing/kinds-of-pages/structured-pages.ts";

/**
 * Pages unlike those of our own generator, written by hand after real ones. Each is read as a worker
 * reads it, with no hint of the country.
 */
const pages = [...builderPages, ...imprintPages, ...structuredPages, ...handMadePages];

describe("what a careful reader notes down from:", () => {
  test.each(pages)("$kind", ({ url, html, emails, phones, faxes = [], socials }) => {
    const facts = extractPage({ html, url, deobfuscate: "all" });
    expect({
      emails: facts.emails.map(({ value }) => value).sort(),
      phones: facts.phones.map(({ value }) => value).sort(),
      faxes: facts.faxes.map(({ value }) => value).sort(),
      socials: facts.socials.map((one) => one.url).sort(),
    }).toEqual({
      emails: [...emails].sort(),
      phones: [...phones].sort(),
      faxes: [...faxes].sort(),
      socials: [...socials].sort(),
    });
  });

  test("at least forty kinds of pages, each another one", () => {
    expect(new Set(pages.map(({ kind }) => kind)).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThanOrEqual(40);
  });
});
