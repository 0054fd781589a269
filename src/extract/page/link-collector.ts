import type { LinkFact } from "../page-facts.ts";
import { cleanText } from "../text/clean-text.ts";
import { marks } from "../text/marks.ts";
import { resolved } from "./head-collector.ts";
import type { Collector, Element } from "./page-events.ts";

export interface LinkCollector extends Collector {
  finish(): readonly LinkFact[];
}

const linksMax = 2_000;
const textCharsMax = 120;

interface Link {
  readonly where: LinkFact["where"];
  readonly rel: readonly string[];
  text: string;
  /** The text needs no cleaning except trimming. */
  isClean: boolean;
}

const order = { header: 0, footer: 1, body: 2 } as const;

/** Visible links, each address once, with its best position on the page. */
export function createLinkCollector(baseUrl: () => string): LinkCollector {
  /** By address. Keys of links within the site leave out the origin. */
  const links = new Map<string, Link>();
  let fresh = false;
  /** The base of the first link, because a page may change its base URL later. */
  let own: { readonly base: string; readonly origin: string } | undefined;
  let open: Link | undefined;
  let opener: Element | undefined;

  function keyOf(href: string): string | undefined {
    const base = baseUrl();
    own ??= { base, origin: originIn(base) };
    if (base === own.base && own.origin !== "") {
      if (isPlain(href)) return href;
      const path = href.startsWith(own.origin) ? href.slice(own.origin.length) : "";
      if (isPlain(path)) return path;
    }
    const url = leadsNowhere.test(href) ? undefined : resolved(href, base);
    const isOfSite = own.origin !== "" && url?.startsWith(`${own.origin}/`);
    return isOfSite ? url!.slice(own.origin.length) : url;
  }

  function add(href: string | undefined, { where, attributes }: Element): Link | undefined {
    if (href === undefined) return undefined;
    const key = keyOf(href);
    if (key === undefined) return undefined;
    const known = links.get(key);
    if (known && order[known.where] <= order[where]) return known;
    if (!known && links.size >= linksMax) return undefined;
    const link: Link = {
      where,
      rel: relOf(attributes),
      text: known?.text ?? "",
      isClean: known?.isClean ?? true,
    };
    links.set(key, link);
    return link;
  }

  return {
    interest: { elements: "a area frame iframe img" },
    open(element) {
      const { name, attributes, isHidden } = element;
      if (isHidden) return;
      if (name === "a") {
        const link = add(attributes["href"], element);
        open = link;
        opener = element;
        if (link && element.hasWords && link.text === "")
          label(link, attributes["aria-label"] ?? attributes["title"]);
        // The visible words say more than the label for screen readers.
        fresh = true;
      } else if (name === "area") {
        const link = add(attributes["href"], element);
        if (link && link.text === "") label(link, attributes["alt"]);
      } else if (name === "frame" || (name === "iframe" && isOwn(attributes["src"], baseUrl()))) {
        add(attributes["src"], element);
      } else if (name === "img" && open && open.text === "") label(open, attributes["alt"]);
    },
    text(part, bits) {
      if (!open || open.text.length > 400) return;
      const isOdd = (bits & marks.odd) !== 0;
      if (fresh && (bits & marks.word) !== 0 && (!isOdd || part.trim() !== "")) {
        open.text = part;
        open.isClean = !isOdd;
        fresh = false;
      } else {
        open.text += part;
        open.isClean = false;
      }
    },
    close(element) {
      if (opener === element) open = undefined;
    },
    finish() {
      const facts: LinkFact[] = [];
      links.forEach(({ where, rel, text, isClean }, key) => {
        const href = key.charCodeAt(0) === slash ? `${own?.origin}${key}` : key;
        const isShown = isClean && text.length <= textCharsMax;
        facts.push({
          href,
          where,
          rel,
          text: isShown ? text.trim() : cleanText(text, textCharsMax),
        });
      });
      return facts;
    },
  };
}

function label(link: Link, text: string | undefined): void {
  link.text = text ?? "";
  link.isClean = text === undefined;
}

const leadsNowhere =
  /^\s{0,9}(?:#|javascript:|mailto:|tel:|data:|sms:|callto:|whatsapp:|skype:|ftp:|file:|blob:|about:)/i;

const noRel: readonly string[] = [];
const relOf = ({ rel }: Element["attributes"]): readonly string[] =>
  rel ? rel.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8) : noRel;

/** Frames of the site itself contain its pages; others contain maps, videos and advertisements. */
function isOwn(src: string | undefined, base: string): boolean {
  const url = resolved(src, base);
  try {
    return url !== undefined && new URL(url).host === new URL(base).host;
  } catch {
    return false;
  }
}

/**
 * True for most links: the URL parser would not change them, and parsing each took a fifth of the
 * time.
 */
const isPlain = (href: string): boolean =>
  href.charCodeAt(0) === slash && plainPath.test(href) && !href.includes("/.");
const plainPath = /^\/(?!\/)[\w./~+,;:!-]{0,200}(?:\?[\w=&./~+,;:!%-]{0,200})?$/;
const slash = 47;

/** "" if the base has no http origin. */
function originIn(base: string): string {
  try {
    const { origin, protocol } = new URL(base);
    return protocol === "http:" || protocol === "https:" ? origin : "";
  } catch {
    return "";
  }
}
