import type { LinkWhere } from "../page-facts.ts";

/** A collector of facts. One pass over the page calls all collectors. */
export interface Collector {
  /** The elements that it subscribes to. */
  readonly interest?: Interest;
  /** Called also for hidden elements; `isHidden` says so. */
  readonly open?: (element: Element) => void;
  readonly close?: (element: Element) => void;
  /** Visible text between two block boundaries or line breaks. */
  readonly line?: (line: PageLine) => void;
  readonly script?: (script: Script) => void;
  /** Visible text with its marks, before it is joined into lines. */
  readonly text?: (part: string, bits: number) => void;
  /** A part of the page's title. */
  readonly title?: (part: string) => void;
}

export interface Interest {
  /** Elements with these names, separated by spaces. */
  readonly elements?: string;
  /** Elements with attributes of these kinds: flags of attribute-flags.ts. */
  readonly attributes?: number;
}

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isHidden: boolean;
  /** It has data attributes that may contain an address. */
  readonly hasData: boolean;
  /** It has a title or a label, which readers see but which is not text. */
  readonly hasWords: boolean;
  readonly where: LinkWhere;
  /** It is inside an element that is shown reversed. */
  readonly isReversed: boolean;
  /** How many elements are open around it. */
  readonly depth: number;
}

/** One object is reused for all lines of a page: it is only valid during the call. */
export interface PageLine {
  /** The text with inline elements joined without spaces and cleaned, as a reader sees it. */
  readonly text: string;
  /** The kinds of characters in it, see marks.ts: may have a bit too many, never one too few. */
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
