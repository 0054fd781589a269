import type { Random } from "../../base/random.ts";
import type { Business, PageKind } from "./business.ts";
import { fakeEmails, pick } from "./email-writing.ts";

/** One page of a site, with the data that it really contains. */
export interface SitePage {
  readonly kind: PageKind;
  readonly path: string;
  readonly html: string;
  readonly expected: PageContacts;
}

export interface PageContacts {
  readonly emails: readonly { readonly value: string; readonly level: "off" | "simple" | "all" }[];
  readonly phones: readonly string[];
  readonly socials: readonly string[];
}

export function makePages(business: Business, random: Random): readonly SitePage[] {
  const { words } = business.language;
  const kinds: readonly PageKind[] = ["home", "contact", "imprint", "about", "services"];
  return kinds.map((kind) => {
    const path = kind === "home" ? "/" : `/${words.paths[kind]}/`;
    const emails = business.emails.filter(({ page }) => page === kind);
    const phones = business.phones.filter(
      ({ page }, index) => page === kind || (kind === "home" && index === 0),
    );
    const body = bodyOf(business, kind, random, {
      emails: emails.map(({ value, form }) => form.write(value)),
      phones: phones.map(({ written }) => written),
    });
    return {
      kind,
      path,
      html: wholePage(business, kind, body),
      expected: {
        emails: emails.map(({ value, form }) => ({ value, level: form.level })),
        phones: phones.map(({ value }) => value),
        socials: business.socials,
      },
    };
  });
}

interface Written {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
}

function bodyOf(
  business: Business,
  kind: PageKind,
  random: Random,
  { emails, phones }: Written,
): string {
  const { words } = business.language;
  const mails = emails.map((email) => `<p>${words.email}: ${email}</p>`).join("\n");
  const numbers = phones
    .map((phone) => `<p>${words.phone}: ${linked(phone, random)}</p>`)
    .join("\n");
  const prose = words.sentences.map((sentence) => `<p>${sentence}</p>`).join("\n");
  const address = `<address>${business.legalName}<br>${business.street}<br>${business.zip} ${business.town}</address>`;
  switch (kind) {
    case "home":
      return `<h1>${business.name}</h1>\n${prose}\n${numbers}\n${pick(fakeEmails, random)}`;
    case "contact":
      return `<h1>${words.contact}</h1>\n${address}\n<table><tr><td>${words.phone}</td><td>${phones[0] ?? ""}</td></tr></table>\n${mails}\n${pick(fakeEmails, random)}`;
    case "imprint":
      return `<h1>${words.imprint}</h1>\n${address}\n<p>${words.owner}: ${business.owner}</p>\n${numbers}\n${faxOf(business)}<p>${words.vat} ${idOf(business, random)}</p>\n<p>IBAN DE02 1203 0000 0000 2020 51</p>\n${mails}`;
    case "about":
      return `<h1>${words.about}</h1>\n${prose}\n<div class="team"><h3>${business.owner}</h3><p>${words.owner}</p>${mails}</div>`;
    case "services":
      return `<h2>${words.services}</h2>\n<ul>${words.offers.map((offer) => `<li>${offer}</li>`).join("")}</ul>\n${pick(fakeEmails, random)}`;
  }
}

const linked = (phone: string, random: Random): string =>
  phone.startsWith("+") && random.next() < 0.5
    ? `<a href="tel:${phone.replace("(0)", "").replace(/[^+\d]/g, "")}">${phone}</a>`
    : phone;

const faxOf = ({ fax, language: { words } }: Business): string =>
  fax ? `<p>${words.fax}: ${fax.written}</p>\n` : "";

function idOf({ language: { country } }: Business, random: Random): string {
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join("");
  if (country === "DE") return `DE ${digits(9)}`;
  if (country === "FR") return `${digits(3)} ${digits(3)} ${digits(3)} ${digits(5)}`;
  return country === "ES" ? `B-${digits(8)}` : digits(9);
}

function wholePage(business: Business, kind: PageKind, body: string): string {
  const { code, words } = business.language;
  const links = (["contact", "imprint", "about", "services"] as const)
    .map((one) => `<a href="/${words.paths[one]}/">${words[one]}</a>`)
    .join(" ");
  const socials = business.socials
    .map((url) => `<a href="${url}?utm_source=site">&#9733;</a>`)
    .join(" ");
  const share = `<a href="https://www.facebook.com/sharer/sharer.php?u=x">share</a> <a href="https://twitter.com/intent/tweet?text=x">tweet</a>`;
  const title = kind === "home" ? words.home : words[kind];
  return `<!doctype html>
<html lang="${code}"><head><title>${title}</title><meta name="description" content="${business.name}"></head>
<body><header><nav><a href="/">${words.home}</a> ${links}</nav></header>
<main>${body}</main>
<footer><p>© 2024 ${business.legalName}</p> ${socials} ${share} <a href="/trap/" style="display:none">.</a></footer></body></html>`;
}
