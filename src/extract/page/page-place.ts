import type { LinkWhere } from "../page-facts.ts";

const footerWords = /(?:^|[\s_-])(?:site-?footer|footer|foot|fusszeile|pie|colophon)(?:$|[\s_-])/i;
const headerWords =
  /(?:^|[\s_-])(?:site-?header|header|masthead|topbar|top-bar|nav|navbar|navigation|mainnav|menu|main-menu|breadcrumbs?)(?:$|[\s_-])/i;
const containers = new Set(["div", "section", "ul", "ol", "table", "td", "aside", "center"]);

/** Where an element puts what is in it; undefined: where its parent does. */
export function placeOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  isInArticle: boolean,
): LinkWhere | undefined {
  // An article has a header and a footer of its own: by-lines, not menus.
  if (name === "header") return isInArticle ? undefined : "header";
  if (name === "nav") return "header";
  if (name === "footer") return isInArticle ? undefined : "footer";
  if (name === "main" || name === "article") return "body";
  const role = attributes["role"];
  if (role === "contentinfo") return "footer";
  if (role === "navigation" || role === "banner" || role === "menubar") return "header";
  if (role === "main") return "body";
  if (!containers.has(name)) return undefined;
  const { class: classes, id } = attributes;
  if (classes === undefined && id === undefined) return undefined;
  const names = `${classes ?? ""} ${id ?? ""}`;
  if (names.length > 300) return undefined;
  if (footerWords.test(names)) return "footer";
  return headerWords.test(names) && !isInArticle ? "header" : undefined;
}
