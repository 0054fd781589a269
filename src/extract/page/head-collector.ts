import { cleanText } from "../text/clean-text.ts";
import type { Collector } from "./page-events.ts";

export interface PageHead {
  readonly title?: string;
  readonly description?: string;
  readonly language?: string;
  readonly siteName?: string;
  readonly generator?: string;
  readonly keywords: readonly string[];
  readonly canonicalUrl?: string;
  readonly refreshUrl?: string;
  readonly robots: readonly string[];
  /** The base of relative links. */
  readonly baseUrl: string;
}

export interface HeadCollector extends Collector {
  finish(): PageHead;
  readonly baseUrl: () => string;
}

/** "5; url=/next" */
const refreshTarget =
  /^\s{0,9}\d{0,6}(?:\.\d{0,6})?\s{0,9}[;,]\s{0,9}(?:url\s{0,9}=\s{0,9})?["']?([^"']{1,2000})/i;

export function createHeadCollector(url: string): HeadCollector {
  let title = "";
  let base = url;
  let hasBase = false;
  let language: string | undefined;
  let canonical: string | undefined;
  let refresh: string | undefined;
  const metas = new Map<string, string>();
  const robots = new Set<string>();

  function addWords(content: string): void {
    for (const word of content
      .toLowerCase()
      .split(/[\s,]+/)
      .slice(0, 20)) {
      if (/^[a-z-]{2,40}$/.test(word)) robots.add(word);
    }
  }

  return {
    title(part) {
      if (title.length < 2_000) title += part;
    },
    interest: { elements: "html base link meta" },
    open({ name, attributes }) {
      if (name === "html") language ??= attributes["lang"] ?? attributes["xml:lang"];
      else if (name === "base" && attributes["href"] && !hasBase) {
        base = resolved(attributes["href"], url) ?? url;
        hasBase = true;
      } else if (name === "link") {
        if (/(?:^|\s)canonical(?:\s|$)/i.test(attributes["rel"] ?? ""))
          canonical ??= attributes["href"];
      } else if (name === "meta") {
        const content = (attributes["content"] ?? "").slice(0, 5_000);
        const key = (attributes["name"] ?? attributes["property"] ?? attributes["http-equiv"] ?? "")
          .trim()
          .toLowerCase();
        if (key === "refresh") refresh ??= refreshTarget.exec(content)?.[1];
        else if (key === "robots") addWords(content);
        else if (key !== "" && metas.size < 100 && !metas.has(key)) metas.set(key, content);
      }
    },
    baseUrl: () => base,
    finish() {
      const meta = (name: string, charsMax = 500) => cleanText(metas.get(name) ?? "", charsMax);
      const declared = language ?? metas.get("content-language") ?? metas.get("og:locale") ?? "";
      const text = {
        title: cleanText(title, 300),
        description: meta("description") || meta("og:description"),
        language: /^[a-z]{2,3}(?:[-_][a-z]{2,8}){0,2}/i.exec(declared.trim())?.[0] ?? "",
        siteName: meta("og:site_name", 120),
        generator: meta("generator", 120),
        canonicalUrl: resolved(canonical, base) ?? "",
        refreshUrl: resolved(refresh, base) ?? "",
      };
      const keywords = meta("keywords", 1_000)
        .split(/[,;，、]/)
        .map((word) => word.trim())
        .filter((word) => word.length > 1 && word.length < 60);
      return {
        ...(Object.fromEntries(Object.entries(text).filter(([, value]) => value !== "")) as Partial<
          typeof text
        >),
        keywords: keywords.slice(0, 30),
        robots: [...robots],
        baseUrl: base,
      };
    },
  };
}

/** Absolute, http or https, without fragment; undefined for anything else. */
export function resolved(href: string | undefined, base: string): string | undefined {
  if (href === undefined || href.length > 2_048) return undefined;
  try {
    const url = new URL(href.trim(), base);
    if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
    const { href: whole } = url;
    const isBare = !whole.includes("#") && !whole.includes("@");
    if (isBare) return whole;
    url.hash = "";
    url.username = "";
    url.password = "";
    return url.href;
  } catch {
    return undefined;
  }
}
