const blocks = new Set(
  (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt " +
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hr html iframe " +
    "input label legend li link main menu meta nav noscript ol optgroup option p pre script section " +
    "select style summary table tbody td template textarea tfoot th thead title tr ul"
  ).split(" "),
);
/** Elements that do not end a line: a script in the middle of a sentence does not split it. */
const seamless = new Set(["script", "style", "link", "meta", "template", "noscript", "label"]);
const voids = new Set(
  "area base basefont br col embed frame hr img input link meta param source track wbr".split(" "),
);

for (const name of seamless) blocks.delete(name);
const bold = new Set(["b", "strong", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** Other elements that collectors subscribe to by name. */
const named =
  "html base title a area img iframe frame app-root span i em small u svg path bdo".split(" ");
const containers = new Set("div section ul ol table td aside center".split(" "));
const scopes = new Set("a article main template bdo".split(" "));
const placed = new Set("header nav footer main article".split(" "));
const signs = new Set(["img", "i", "span"]);
const drawings = new Set(["svg", "math"]);
/** Elements whose text is not visible text of the page. */
const kept = new Set(["script", "style", "title"]);
const unread = new Set(["textarea", "option"]);

/** Elements whose content is text up to their end tag, even if it looks like markup. */
const raws = new Map<string, ElementKind["raw"]>([
  ..."script style iframe noembed noframes xmp".split(" ").map((name) => [name, "text"] as const),
  ["title", "references"],
  ["textarea", "references"],
  ["plaintext", "rest"],
]);

const paragraphEnds = new Set(["p"]);
/** Open elements that a start tag closes. */
const closedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["li", new Set(["li", "p"])],
  ["dt", new Set(["dt", "dd", "p"])],
  ["dd", new Set(["dt", "dd", "p"])],
  ["tr", new Set(["tr", "td", "th", "p"])],
  ["td", new Set(["td", "th", "p"])],
  ["th", new Set(["td", "th", "p"])],
  ["option", new Set(["option"])],
  ["a", new Set(["a"])],
  ["body", new Set(["head"])],
  ...(
    "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main " +
    "nav ol p pre section table ul"
  )
    .split(" ")
    .map((name) => [name, paragraphEnds] as const),
]);

/** The properties of an element name, looked up once for each tag. */
export interface ElementKind {
  readonly name: string;
  /** A unique number for each known name, 0 for all others. */
  readonly number: number;
  readonly isBlock: boolean;
  readonly isBold: boolean;
  readonly isVoid: boolean;
  /** Its name or class may place its content in another part of the page. */
  readonly isPlaced: boolean;
  readonly isContainer: boolean;
  /** Its content has other properties than its surroundings: bold, a link, an article, hidden. */
  readonly isScope: boolean;
  /** Its class is read even if no style rule needs it. */
  readonly isNamed: boolean;
  /** 1 to 6 for h1 to h6, else 0. */
  readonly heading: number;
  readonly isDrawing: boolean;
  /** It may represent a character: see `signOf`. */
  readonly isSign: boolean;
  readonly text: "read" | "kept" | "unread";
  /**
   * text: plain text. references: text with character references. rest: all the rest of the page.
   */
  readonly raw: "none" | "text" | "references" | "rest";
  /** It ends an unclosed SVG around it. */
  readonly breaksOut: boolean;
  readonly closes: ReadonlySet<string> | undefined;
}

const kinds = new Map<string, ElementKind>();
for (const name of [
  ...blocks,
  ...seamless,
  ...voids,
  ...bold,
  ...named,
  ...drawings,
  ...placed,
  ...closedBy.keys(),
])
  if (!kinds.has(name)) kinds.set(name, newKind(name, kinds.size + 1));

/**
 * By the name as written. Unknown names are not cached, because a page may have any number of them.
 */
export function kindOf(written: string): ElementKind {
  const known = kinds.get(written);
  if (known) return known;
  const name = written.toLowerCase();
  return kinds.get(name) ?? newKind(name, 0);
}

function newKind(name: string, number: number): ElementKind {
  return {
    name,
    number,
    isBlock: blocks.has(name),
    isBold: bold.has(name),
    isVoid: voids.has(name),
    isPlaced: placed.has(name),
    isContainer: containers.has(name),
    isScope: bold.has(name) || scopes.has(name),
    isNamed: containers.has(name) || signs.has(name),
    heading: /^h[1-6]$/.test(name) ? Number(name[1]) : 0,
    isDrawing: drawings.has(name),
    isSign: signs.has(name),
    text: kept.has(name) ? "kept" : unread.has(name) ? "unread" : "read",
    raw: raws.get(name) ?? "none",
    breaksOut: name !== "title" && blocks.has(name),
    closes: closedBy.get(name),
  };
}

/** Elements that represent a character of an address: `info<img alt="@">company.com`. */
export function signOf(name: string, attributes: Readonly<Record<string, string>>): string {
  if (name === "img") {
    const alt = (attributes["alt"] ?? "").trim().toLowerCase();
    if (alt === "@" || alt === "at" || alt === "(at)" || alt === "[at]") return "@";
    if (alt === "." || alt === "dot") return ".";
    const file = /(?:^|\/)(at|at-?sign|arroba|dot)\.(?:png|gif|svg|jpe?g|webp)$/i.exec(
      (attributes["src"] ?? "").slice(-60),
    )?.[1];
    return file === undefined || alt !== "" ? "" : file.toLowerCase() === "dot" ? "." : "@";
  }
  const { class: classes } = attributes;
  if (classes === undefined) return "";
  return /(?:^|\s)(?:fa-at|icon-at|bi-at|ti-at|mdi-at)(?:\s|$)/.test(classes) ? "@" : "";
}
