import { flags } from "../page/attribute-flags.ts";
import type { Collector, Element, PageLine } from "../page/page-events.ts";
import { backwards } from "../text/characters.ts";
import { marks } from "../text/marks.ts";
import type { AddressBook } from "./address-book.ts";
import { cloudflareAddresses, dataAddresses } from "./attribute-emails.ts";
import { findAddresses } from "./find-addresses.ts";
import { decoded, labelOf, mailtoText } from "./mailto.ts";
import { scriptAddresses } from "./script-emails.ts";
import { findWordForms } from "./word-forms.ts";

/**
 * off: links and text as written. simple: also words, split text and decoys. all: also what only a
 * script or a style would show; a site that hides an address in this way may not want it to be
 * collected.
 */
export type Deobfuscate = "off" | "simple" | "all";

export interface EmailCollectorOptions {
  readonly book: AddressBook;
  readonly site: string | undefined;
  readonly deobfuscate: Deobfuscate;
}

const credits =
  /web ?-?design|web ?-?agentur|website (?:by|von)|site (?:by|web par|réalisé)|designed by|design (?:by|:)|powered by|realisier|realisation|réalisation|umsetzung|created by|developed by|développ|hosted by|hosting|programmierung|diseñ|realizzazione|sviluppat|desenvolvid|agence web/i;

export function createEmailCollector({
  book,
  site,
  deobfuscate,
}: EmailCollectorOptions): Collector {
  const isSimple = deobfuscate !== "off";
  const isAll = deobfuscate === "all";
  let unlabelled: string[] = [];
  let lastLine = "";

  function open({ name, attributes, isHidden, hasData, hasWords }: Element): void {
    if (isHidden) return;
    const { href } = attributes;
    if (href !== undefined && (name === "a" || name === "area")) link(href);
    if (isAll && (hasData || href?.includes("/cdn-cgi/"))) wrapped(attributes);
    if (hasWords) {
      shownBy(attributes["title"]);
      shownBy(attributes["aria-label"]);
    }
    if (name === "img") shownBy(attributes["alt"]);
    else if (name === "meta") meta(attributes);
  }

  function wrapped(attributes: Element["attributes"]): void {
    for (const one of cloudflareAddresses(attributes)) book.add(one, { method: "cloudflare" });
    for (const one of dataAddresses(attributes)) book.add(one, { method: "attribute" });
    const { onclick, onmouseover, onmousedown } = attributes;
    if (onclick !== undefined) script(onclick);
    if (onmouseover !== undefined) script(onmouseover);
    if (onmousedown !== undefined) script(onmousedown);
  }

  function shownBy(text: string | undefined): void {
    if (!text?.includes("@")) return;
    for (const one of findAddresses(text.slice(0, 500))) book.add(one, { method: "attribute" });
  }

  function meta({ name, property, content = "" }: Element["attributes"]): void {
    if (!content.includes("@") || !/mail|reply-to|contact/i.test(name ?? property ?? "")) return;
    for (const one of findAddresses(content.slice(0, 500))) {
      book.add(one, { method: "structured" });
    }
  }

  function link(href: string): void {
    if (isPath(href) || !/mailto|@|javascript:/i.test(href)) return;
    const to = mailtoText(href);
    if (to !== undefined) {
      const text = (isSimple ? withoutDecoys(to) : undefined) ?? to;
      for (const one of [...findAddresses(text), ...(isSimple ? findWordForms(text) : [])]) {
        const value = book.add(one, { method: "mailto" });
        if (value !== undefined) unlabelled.push(value);
      }
    } else if (/^\s{0,9}javascript:/i.test(href)) {
      if (isAll) script(decoded(href.slice(0, 5_000)));
    } else if (href.length < 200 && href.includes("@") && !/[/:?]/.test(href)) {
      // A link without the "mailto:".
      for (const one of findAddresses(href)) book.add(one, { method: "attribute" });
    }
  }

  function line(read: PageLine): void {
    if (unlabelled.length > 0) {
      const label = labelOf(read.text) ?? (read.text.length < 80 ? labelOf(lastLine) : undefined);
      const isCredit = isCreditLine(read.text);
      for (const value of unlabelled) book.remark(value, { label, isCredit });
      unlabelled = [];
    }
    if (mayHold(read)) search(read);
    lastLine = read.text.length < 60 ? read.text : "";
  }

  function search(read: PageLine): void {
    if (read.isReversed && !isAll) return;
    const isCredit = isCreditLine(read.text);
    const plain = isSimple ? withoutDecoys(read.text) : undefined;
    const text = plain ?? read.text;
    const seams = plain === undefined ? read.seams : [];
    const method = read.isReversed ? "reversed" : "text";
    for (const one of findAddresses(text, seams)) {
      if (!isSimple && seams.some((seam) => seam > one.start && seam < one.end)) continue;
      book.add(one, { method, label: labelBefore(text, one.start), isCredit });
    }
    if (!isSimple) return;
    for (const one of findWordForms(text)) {
      book.add(one, { method: "words", label: labelBefore(text, one.start), isCredit });
    }
    if (isAll && !read.isReversed) backwardsOwn(text);
  }

  /**
   * Written backwards and reversed by an external style sheet: accepted only for the site's own
   * domain.
   */
  function backwardsOwn(text: string): void {
    if (site === undefined || !text.includes(`${backwards(site)}@`)) return;
    for (const one of findAddresses(backwards(text.slice(0, 500)))) {
      if (one.domain.toLowerCase().endsWith(site)) book.add(one, { method: "reversed" });
    }
  }

  function labelBefore(text: string, start: number): string | undefined {
    return (
      labelOf(text.slice(Math.max(0, start - 60), start)) ??
      (start < 12 ? labelOf(lastLine) : undefined)
    );
  }

  function script(source: string): void {
    for (const one of scriptAddresses(source)) {
      // A plain string in a script may be the address of a plug-in's author: only the site's own is
      // accepted.
      const isOwn = site !== undefined && one.domain.toLowerCase().endsWith(site);
      if (one.isMade || isOwn) book.add(one, { method: "script" });
    }
  }

  return {
    interest: { elements: "a area img meta", attributes: flags.data | flags.words },
    open,
    line,
    script({ type, text }) {
      if (isAll && (type === "" || /javascript|ecmascript|^module$/.test(type))) script(text);
    },
  };
}

/** True for most links: they lead to another page of the site. */
const isPath = (href: string): boolean => href.charCodeAt(0) === slash;
const slash = 47;

const isCreditLine = (text: string): boolean => text.length < 300 && credits.test(text);

/** Whether the line may contain an "@" in any form; findWordForms checks closely. */
function mayHold({ text, marks: bits }: PageLine): boolean {
  if ((bits & marks.at) !== 0) return true;
  const isWide = (bits & marks.wide) !== 0;
  const isBracketed = (bits & marks.bracket) !== 0 || (isWide && text.includes("«"));
  return (isBracketed && bracketed.test(text)) || ((bits & marks.cue) !== 0 && spaced.test(text));
}

const bracketed =
  /[[({<«|*/_~-] ?(?:(?:at|a|ät|aet|æt|ett|à|et|ad)(?![a-z])|arrob|arobas|chioc|klammer|affen|snabel|apenst|zavin|kukac|ma[lł]pa|соб)/i;
const spaced =
  /(?:^| )(?:at|ät|arroba|arobase|chiocciola|klammeraffe|snabel-?a|apenstaartje|zavináč|kukac|małpa|собака|at-sign) /i;

/** Words that people insert into an address and expect readers to remove. */
const tokens =
  /[[({<_.-]{0,2}(?:remove[-_ ]?this|removethis|nospam|no[-_]spam|no-?spam-?please|spamfrei|antispam|anti-?spam|delete[-_ ]?this|deletethis|entfernen|bitte-?entfernen|sinspam|quitaresto|enlever|pasdespam|nospm|stopspam)[\])}>_.-]{0,2}/gi;

/** The text without these words, or undefined if there are none. */
function withoutDecoys(text: string): string | undefined {
  if (!/spam|remove|delete|entfernen|quitar|enlever/i.test(text)) return undefined;
  const plain = text.replace(tokens, (token, at: number) => {
    // A dot on either side belongs to the address: "info@NOSPAM.company.com".
    const isInside = at > 0 && /[\w]$/.test(text.slice(0, at));
    return isInside && token.endsWith(".") && /^\w/.test(text.slice(at + token.length)) ? "." : "";
  });
  return plain === text ? undefined : plain;
}
