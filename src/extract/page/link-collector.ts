import type { LinkFact } from "../page-facts.ts";
import { cleanText } from "../text/clean-text.ts";
import { resolved } from "./head-collector.ts";
import type { Collector, Element } from "./page-events.ts";

export interface LinkCollector extends Collector {
  finish(): readonly LinkFact[];
}

const linksMax = 2_000;

interface Link {
  readonly href: string;
  readonly where: LinkFact["where"];
  readonly rel: readonly string[];
  text: string;
}

const order = { header: 0, footer: 1, body: 2 } as const;

/** Links a visitor can see, each address once, at the best place it stands in. */
export function createLinkCollector(baseUrl: () => string): LinkCollector {
  const links = new Map<string, Link>();
  const urls = new Map<string, string | undefined>();
  let fresh = false;
  let originOf: { readonly base: string; readonly origin: string | undefined } = {
    base: "",
    origin: undefined,
  };
  let open: { readonly element: Element; readonly link: Link } | undefined;

  function absolute(href: string): string | undefined {
    const known = urls.get(href);
    if (known !== undefined || urls.has(href)) return known;
    const base = baseUrl();
    if (base !== originOf.base) originOf = { base, origin: originIn(base) };
    const isPlain = plainPath.test(href) && !href.includes("/.");
    const url =
      isPlain && originOf.origin !== undefined ? originOf.origin + href : resolved(href, base);
    if (urls.size < linksMax) urls.set(href, url);
    return url;
  }

  function add(href: string | undefined, { where, attributes }: Element): Link | undefined {
    if (href === undefined || leadsNowhere.test(href)) return undefined;
    const url = absolute(href);
    if (url === undefined) return undefined;
    const known = links.get(url);
    if (known && order[known.where] <= order[where]) return known;
    if (!known && links.size >= linksMax) return undefined;
    const link: Link = { href: url, where, rel: relOf(attributes), text: known?.text ?? "" };
    links.set(url, link);
    return link;
  }

  return {
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
      [...links.values()].map(({ href, where, rel, text }) => ({
        href,
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
const plainPath = /^\/(?!\/)[\w./-]{0,200}(?:\?[\w=&-]{0,200})?$/;

function originIn(base: string): string | undefined {
  try {
    const { origin, protocol } = new URL(base);
    return protocol === "http:" || protocol === "https:" ? origin : undefined;
  } catch {
    return undefined;
  }
}
