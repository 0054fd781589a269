import { parse } from "tldts";
import { createAddressBook } from "./email/address-book.ts";
import { createEmailCollector, type Deobfuscate } from "./email/email-collector.ts";
import { findAddresses } from "./email/find-addresses.ts";
import { mailtoText } from "./email/mailto.ts";
import type { PageFacts } from "./page-facts.ts";
import { createHeadCollector, type PageHead } from "./page/head-collector.ts";
import { createLinkCollector } from "./page/link-collector.ts";
import { createNameCollector } from "./page/name-collector.ts";
import { createOfferCollector } from "./page/offer-collector.ts";
import { readPage } from "./page/page-pass.ts";
import { createSignCollector } from "./page/page-signs.ts";
import { createTechCollector } from "./page/tech-collector.ts";
import { createTextCollector } from "./page/text-collector.ts";
import { createPeopleCollector } from "./people/people-collector.ts";
import { defaultCountry } from "./phone/default-country.ts";
import { createPhoneCollector } from "./phone/phone-collector.ts";
import { createSocialCollector } from "./social/social-collector.ts";
import { createStructuredCollector } from "./structured/structured-collector.ts";

export interface PageInput {
  readonly html: string;
  /** The URL of the page, after redirects. */
  readonly url: string;
  /** ISO 3166, two letters: the company's country, if known. */
  readonly country?: string;
  readonly deobfuscate?: Deobfuscate;
  /** Only this many characters of the page are read. */
  readonly charsMax?: number;
}

const charsMaxDefault = 5_000_000;

/**
 * Extracts all facts from a page, in one pass. A pure function: it fetches nothing, runs no script,
 * and throws on no page, however broken or hostile.
 */
export function extractPage(input: PageInput): PageFacts {
  const { url, deobfuscate = "simple", charsMax = charsMaxDefault } = input;
  const html = input.html.length > charsMax ? input.html.slice(0, charsMax) : input.html;
  const { domain, publicSuffix } = parse(url);
  const site = domain ?? undefined;

  const book = createAddressBook({ url, site });
  const head = createHeadCollector(url);
  const links = createLinkCollector(head.baseUrl);
  const texts = createTextCollector();
  const phones = createPhoneCollector();
  const socials = createSocialCollector();
  const structured = createStructuredCollector();
  const people = createPeopleCollector();
  const offers = createOfferCollector();
  const tech = createTechCollector();
  const signs = createSignCollector();
  const names = createNameCollector();
  const emails = createEmailCollector({ book, site, deobfuscate });
  readPage(html, [
    head,
    links,
    texts,
    emails,
    phones,
    socials,
    structured,
    people,
    offers,
    tech,
    signs,
    names,
  ]);

  const heading = head.finish();
  const { title = "" } = heading;
  const { nodes, organizations, stateEmails } = structured.finish();
  for (const text of [...organizations.flatMap((one) => one.emails), ...stateEmails]) {
    for (const one of findAddresses(mailtoText(text) ?? text))
      book.add(one, { method: "structured" });
  }
  const words = texts.finish({ title, stated: heading.keywords });
  const language = heading.language ?? words.language;
  const country = defaultCountry({
    given: input.country,
    stated: organizations.map((one) => one.address?.country).find((name) => name !== undefined),
    suffix: publicSuffix ?? undefined,
    language,
    ofNumbers: phones.countries(),
  });
  const found = links.finish();
  const sign = signs.finish({
    title,
    beginning: texts.beginning(),
    chars: texts.chars(),
    links: found.length,
  });
  const isReal = sign.parked === undefined && sign.blocked === undefined;
  const ranked = book.ranked();
  const name = isReal ? names.finish({ organizations, siteName: heading.siteName }) : undefined;

  return {
    url,
    isCut: html.length < input.html.length,
    ...ofHead(heading),
    ...(language !== undefined && { language: language.slice(0, 2).toLowerCase() }),
    ...(name !== undefined && { name }),
    emails: ranked,
    ...phones.finish({
      url,
      country,
      stated: organizations.flatMap((one) => one.phones),
      statedFaxes: organizations.flatMap((one) => one.fax ?? []),
    }),
    socials: socials.finish(organizations.flatMap((one) => one.sameAs)),
    organizations,
    people: people.finish({
      url,
      country,
      nodes,
      emails: new Set(ranked.map(({ value }) => value)),
    }),
    ...offers.finish(nodes),
    tech: tech.finish(heading.generator),
    keywords: words.keywords,
    links: found,
    robots: heading.robots,
    needsScripts: sign.needsScripts,
    ...(sign.parked !== undefined && { parked: sign.parked }),
    ...(sign.blocked !== undefined && { blocked: sign.blocked }),
  };
}

type HeadFacts = Pick<PageFacts, "title" | "description" | "canonicalUrl" | "refreshUrl">;

function ofHead({ title, description, canonicalUrl, refreshUrl }: PageHead): HeadFacts {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(canonicalUrl !== undefined && { canonicalUrl }),
    ...(refreshUrl !== undefined && { refreshUrl }),
  };
}
