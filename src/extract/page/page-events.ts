import type { LinkWhere } from "../page-facts.ts";

/** What collectors hear of. One pass over the page feeds all of them. */
export interface Collector {
  /** Which elements it hears of. */
  readonly hears?: Hears;
  /** Also for what a reader cannot see: `isHidden` says so. */
  readonly open?: (element: Element) => void;
  readonly close?: (element: Element) => void;
  /** Visible text between two block boundaries or line breaks. */
  readonly line?: (line: PageLine) => void;
  readonly script?: (script: Script) => void;
  /** Visible text as it comes, before it is put into lines, with its marks. */
  readonly text?: (part: string, bits: number) => void;
  /** A part of the page's title. */
  readonly title?: (part: string) => void;
}

export interface Hears {
  /** Those with these names, with spaces between. */
  readonly elements?: string;
  /** Those with attributes of these kinds: flags of attribute-flags.ts. */
  readonly attributes?: number;
}

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isHidden: boolean;
  /** It has attributes of scripts that may hold an address. */
  readonly hasData: boolean;
  /** It has a title or a label: words that are shown without being text. */
  readonly hasWords: boolean;
  readonly where: LinkWhere;
  /** Inside something that is shown backwards. */
  readonly isReversed: boolean;
  /** How many elements are open around it. */
  readonly depth: number;
}

/** The same one for all lines of a page, and only good while it is heard of. */
export interface PageLine {
  /** Cleaned, inline elements joined without spaces, as a reader sees it. */
  readonly text: string;
  /** What is in it, see marks.ts: may say too much, never too little. */
  readonly marks: number;
  /** Offsets in `text` where an inline element began or ended: words may be glued there. */
  readonly seams: readonly number[];
  readonly where: LinkWhere;
  /** The nearest block element: h1, li, p, td … */
  readonly block: string;
  /** 1 to 6 for h1 to h6, else 0. */
  readonly heading: number;
  /** Everything in it is a link. */
  readonly isLink: boolean;
  /** Everything in it is bold. */
  readonly isBold: boolean;
  readonly isReversed: boolean;
}

export interface Script {
  /** "" for JavaScript. */
  readonly type: string;
  readonly id: string;
  readonly text: string;
}
