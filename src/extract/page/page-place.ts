import type { LinkWhere } from "../page-facts.ts";
import type { ElementKind } from "./element-names.ts";

const footerWords = /(?:^|[\s_-])(?:site-?footer|footer|foot|fusszeile|pie|colophon)(?:$|[\s_-])/i;
const headerWords =
  /(?:^|[\s_-])(?:site-?header|header|masthead|topbar|top-bar|nav|navbar|navigation|mainnav|menu|main-menu|breadcrumbs?)(?:$|[\s_-])/i;
/** Common beginnings of all of them: most names match none. */
const anyWord = /foot|fuss|pie|coloph|head|mast|top|nav|menu|breadcrumb/i;

export interface PagePlaces {
  /** The part of the page that an element places its content in; undefined: that of its parent. */
  placeOf(
    kind: Pick<ElementKind, "name" | "isContainer">,
    attributes: Readonly<Record<string, string>>,
    isInArticle: boolean,
  ): LinkWhere | undefined;
}

const namesMax = 2_000;

/** Caches the result for each class: pages repeat the same ones a hundred times. */
export function createPlaces(): PagePlaces {
  const byNames = new Map<string, LinkWhere | undefined>();
  return {
    placeOf({ name, isContainer }, attributes, isInArticle) {
      const byTag = ofTag(name, attributes["role"], isInArticle);
      if (byTag !== undefined || !isContainer) return byTag;
      const { class: classes, id } = attributes;
      if (classes === undefined && id === undefined) return undefined;
      const place = strongest(known(classes), known(id));
      return place === "header" && isInArticle ? undefined : place;
    },
  };

  function known(names: string | undefined): LinkWhere | undefined {
    if (names === undefined || names === "") return undefined;
    let place = byNames.get(names);
    if (place === undefined && !byNames.has(names)) {
      place = ofNames(names);
      if (byNames.size < namesMax) byNames.set(names, place);
    }
    return place;
  }
}

const strongest = (
  first: LinkWhere | undefined,
  second: LinkWhere | undefined,
): LinkWhere | undefined => (second === "footer" ? second : (first ?? second));

function ofTag(
  name: string,
  role: string | undefined,
  isInArticle: boolean,
): LinkWhere | undefined {
  // The header and footer of an article are by-lines, not menus.
  if (name === "header") return isInArticle ? undefined : "header";
  if (name === "nav") return "header";
  if (name === "footer") return isInArticle ? undefined : "footer";
  if (name === "main" || name === "article") return "body";
  if (role === undefined) return undefined;
  if (role === "contentinfo") return "footer";
  if (role === "navigation" || role === "banner" || role === "menubar") return "header";
  return role === "main" ? "body" : undefined;
}

function ofNames(names: string): LinkWhere | undefined {
  if (names.length > 300 || !anyWord.test(names)) return undefined;
  if (footerWords.test(names)) return "footer";
  return headerWords.test(names) ? "header" : undefined;
}
