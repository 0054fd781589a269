const blocks = new Set(
  (
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt " +
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hr html iframe " +
    "input label legend li link main menu meta nav noscript ol optgroup option p pre script section " +
    "select style summary table tbody td template textarea tfoot th thead title tr ul"
  ).split(" "),
);
/** Their tags say nothing about lines: a script in a sentence does not end it. */
const seamless = new Set(["script", "style", "link", "meta", "template", "noscript", "label"]);
const voids = new Set(
  "area base basefont br col embed frame hr img input link meta param source track wbr".split(" "),
);

for (const name of seamless) blocks.delete(name);
const bold = new Set(["b", "strong", "h1", "h2", "h3", "h4", "h5", "h6"]);

/** Elements whose own attributes are worth hearing of. */
const heard = new Set(
  "html base link meta title script style a area img iframe frame app-root input".split(" "),
);

const paragraphEnds = new Set(["p"]);
/** What a start tag ends that was left open. */
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

/** All there is to know about a name, looked up once for each tag. */
export interface ElementKind {
  readonly name: string;
  readonly isBlock: boolean;
  readonly isBold: boolean;
  readonly isVoid: boolean;
  readonly isHeard: boolean;
  /** HTML in the middle of a picture: the picture was never closed. */
  readonly breaksOut: boolean;
  readonly closes: ReadonlySet<string> | undefined;
}

const kinds = new Map<string, ElementKind>();
for (const name of [
  ...blocks,
  ...seamless,
  ...voids,
  ...bold,
  ...heard,
  ...closedBy.keys(),
  ..."span i em small u svg path".split(" "),
])
  kinds.set(name, newKind(name));

/** Names nobody has heard of are not remembered: a page may have as many as it likes. */
export const kindOf = (name: string): ElementKind => kinds.get(name) ?? newKind(name);

function newKind(name: string): ElementKind {
  return {
    name,
    isBlock: blocks.has(name),
    isBold: bold.has(name),
    isVoid: voids.has(name),
    isHeard: heard.has(name),
    breaksOut: name !== "title" && blocks.has(name),
    closes: closedBy.get(name),
  };
}

/** Pictures that stand for a sign of an address: `info<img alt="@">company.com`. */
export function signOf(name: string, attributes: Readonly<Record<string, string>>): string {
  if (name === "br") return "";
  if (name === "img") {
    const alt = (attributes["alt"] ?? "").trim().toLowerCase();
    if (alt === "@" || alt === "at" || alt === "(at)" || alt === "[at]") return "@";
    if (alt === "." || alt === "dot") return ".";
    const file = /(?:^|\/)(at|at-?sign|arroba|dot)\.(?:png|gif|svg|jpe?g|webp)$/i.exec(
      (attributes["src"] ?? "").slice(-60),
    )?.[1];
    return file === undefined || alt !== "" ? "" : file.toLowerCase() === "dot" ? "." : "@";
  }
  if (name !== "i" && name !== "span") return "";
  return /(?:^|\s)(?:fa-at|icon-at|bi-at|ti-at|mdi-at)(?:\s|$)/.test(attributes["class"] ?? "")
    ? "@"
    : "";
}
