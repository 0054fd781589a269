import type { LinkWhere } from "../page-facts.ts";
import { backwards, withoutOdd } from "../text/characters.ts";
import { joinedMarks, marks, noMarks } from "../text/marks.ts";
import type { ElementKind } from "./element-names.ts";
import type { PageLine } from "./page-events.ts";

export interface LineBuilder {
  /** A block element opens, or continues after a nested one has ended. */
  begin(kind: Pick<ElementKind, "name" | "heading">): void;
  /** `bits`: the marks of the part. */
  text(part: string, place: LineContext, bits: number): void;
  /** An inline element begins or ends here. */
  seam(): void;
  end(): void;
}

export interface LineContext {
  readonly where: LinkWhere;
  readonly isReversed: boolean;
  readonly isInLink: boolean;
  readonly isBold: boolean;
}

const charsMax = 20_000;
const seamsMax = 500;

interface OwnLine extends PageLine {
  text: string;
  marks: number;
  seams: number[];
  where: LinkWhere;
  block: string;
  heading: number;
  isLink: boolean;
  isBold: boolean;
  isReversed: boolean;
}

/** Joins the text of inline elements as a reader sees it, and emits one line at a time. */
export function createLineBuilder(give: (line: PageLine) => void): LineBuilder {
  const line: OwnLine = {
    text: "",
    marks: noMarks,
    seams: [],
    where: "body",
    block: "",
    heading: 0,
    isLink: true,
    isBold: true,
    isReversed: false,
  };
  let parts = "";
  /** True at the start and after a space: then further spaces are skipped. */
  let isSpaced = true;
  let reversedFrom: number | undefined;

  function text(part: string, place: LineContext, bits: number): void {
    const isOdd = (bits & marks.odd) !== 0;
    const isSpace = (bits & marks.word) === 0 || (isOdd && part.trim() === "");
    if (isSpace && isSpaced) return;
    const plain = isSpace ? " " : isOdd ? withoutOdd(part, bits) : part;
    if (plain === "") return;
    if (parts.length + plain.length > charsMax) {
      end();
      if (plain.length > charsMax) {
        // A long text without markup: split it at spaces.
        for (let at = 0; at < plain.length;) {
          const to = pieceEnd(plain, at);
          text(plain.slice(at, to), place, bits);
          end();
          at = to;
        }
        return;
      }
    }
    if (!isSpace) {
      line.where = place.where;
      if (!place.isInLink) line.isLink = false;
      if (!place.isBold) line.isBold = false;
    }
    if (place.isReversed) reversedFrom ??= parts.length;
    else turnRound();
    parts += isSpaced && plain.charCodeAt(0) === space ? plain.slice(1) : plain;
    isSpaced = plain.charCodeAt(plain.length - 1) === space;
    line.marks = joinedMarks(line.marks, bits);
  }

  function turnRound(): void {
    if (reversedFrom === undefined) return;
    parts = parts.slice(0, reversedFrom) + backwards(parts.slice(reversedFrom));
    isSpaced = parts.endsWith(" ");
    reversedFrom = undefined;
    line.isReversed = true;
  }

  function end(): void {
    turnRound();
    if (parts !== "" && parts !== " ") {
      line.text = isSpaced ? parts.slice(0, -1) : parts;
      give(line);
    }
    parts = "";
    isSpaced = true;
    line.marks = noMarks;
    if (line.seams.length > 0) line.seams = [];
    line.isLink = true;
    line.isBold = true;
    line.isReversed = false;
  }

  return {
    begin(kind) {
      line.block = kind.name;
      line.heading = kind.heading;
    },
    text,
    seam() {
      const { seams } = line;
      if (parts !== "" && seams.length < seamsMax && seams.at(-1) !== parts.length)
        seams.push(parts.length);
    },
    end,
  };
}

const space = 32;

function pieceEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + charsMax);
  if (limit === text.length) return limit;
  const space = text.lastIndexOf(" ", limit - 1);
  return space > from ? space + 1 : limit;
}
