import type { LinkFact } from "../page-facts.ts";
import { cleanText } from "../text/clean-text.ts";
import { resolved } from "./head-collector.ts";
import type { Collector, Element } from "./page-events.ts";

export interface LinkCollector extends Collector {
  finish(): readonly LinkFact[];
}

const linksMax = 2_000;

interface Link {
  readonly where: LinkFact["where"];
  readonly rel: readonly string[];
  text: string;
}

const order = { header: 0, footer: 1, body: 2 } as const;

/** Links a visitor can see, each address once, at the best place it stands in. */
export function createLinkCollector(baseUrl: () => string): LinkCollector {
  /** By address, those of the site itself by what follows its origin. */
  const links = new Map<string, Link>();
  let fresh = false;
  /** Of the first link: a page may change what its links start from. */
  let own: { readonly base: string; readonly origin: string } | undefined;
  let open: { readonly element: Element; readonly link: Link } | undefined;

  function keyOf(href: string): string | undefined {
    const base = baseUrl();
    own ??= { base, origin: originIn(base) };
    if (base === own.base && own.origin !== "" && isPlain(href)) return href;
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
    const link: Link = { where, rel: relOf(attributes), text: known?.text ?? "" };
    links.set(key, link);
    return link;
  }

  return {
    hears: { elements: "a area frame iframe img" },
    open(element) {
      const { name, attributes, isHidden } = element;
      if (isHidden) return;
      if (name === "a") {
        const link = add(attributes["href"], element);
        open = link && { element, link };
        if (link && link.text === "")
          link.text = attributes["aria-label"] ?? attributes["title"] ?? "";
        // The words themselves say more than the label for screen readers.
        fresh = true;
      } else if (name === "area") {
        const link = add(attributes["href"], element);
        if (link) link.text ||= attributes["alt"] ?? "";
      } else if (name === "frame" || (name === "iframe" && isOwn(attributes["src"], baseUrl()))) {
        add(attributes["src"], element);
      } else if (name === "img" && open && open.link.text === "")
        open.link.text = attributes["alt"] ?? "";
    },
    text(part) {
      if (!open || open.link.text.length > 400) return;
      if (fresh && part.trim() !== "") {
        open.link.text = "";
        fresh = false;
      }
      open.link.text += part;
    },
    close(element) {
      if (open?.element === element) open = undefined;
    },
    finish: () =>
      Array.from(links, ([key, { where, rel, text }]) => ({
        href: key.charCodeAt(0) === slash ? `${own?.origin}${key}` : key,
        where,
        rel,
        text: cleanText(text, 120),
      })),
  };
}

const leadsNowhere =
  /^\s{0,9}(?:#|javascript:|mailto:|tel:|data:|sms:|callto:|whatsapp:|skype:|ftp:|file:|blob:|about:)/i;

const noRel: readonly string[] = [];
const relOf = ({ rel }: Element["attributes"]): readonly string[] =>
  rel ? rel.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8) : noRel;

/** Frames of the site itself hold its pages; others hold maps, films and advertisements. */
function isOwn(src: string | undefined, base: string): boolean {
  const url = resolved(src, base);
  try {
    return url !== undefined && new URL(url).host === new URL(base).host;
  } catch {
    return false;
  }
}

/** Most links: nothing in them that a URL would change, and parsing each was a fifth of the time. */
const isPlain = (href: string): boolean =>
  href.charCodeAt(0) === slash && plainPath.test(href) && !href.includes("/.");
const plainPath = /^\/(?!\/)[\w./-]{0,200}(?:\?[\w=&-]{0,200})?$/;
const slash = 47;

/** "" where there is none to build on. */
function originIn(base: string): string {
  try {
    const { origin, protocol } = new URL(base);
    return protocol === "http:" || protocol === "https:" ? origin : "";
  } catch {
    return "";
  }
}
