import type { LinkWhere } from "../page-facts.ts";
import { backwards, shown } from "../text/characters.ts";
import { joinedMarks, marks, noMarks } from "../text/marks.ts";
import type { ElementKind } from "./element-names.ts";
import type { Line } from "./page-events.ts";

export interface LineBuilder {
  /** A block element opens, or goes on after one in it has ended. */
  begin(kind: Pick<ElementKind, "name" | "heading">): void;
  /** `bits`: the marks of the part. */
  text(part: string, place: Place, bits: number): void;
  /** An inline element begins or ends here. */
  seam(): void;
  end(): void;
}

interface Place {
  readonly where: LinkWhere;
  readonly isReversed: boolean;
  readonly isInLink: boolean;
  readonly isBold: boolean;
}

const charsMax = 20_000;
const seamsMax = 500;

/** Joins the text of inline elements as a reader sees it, and hands on one line at a time. */
export function createLineBuilder(give: (line: Line) => void): LineBuilder {
  let block = "";
  let heading = 0;
  let where: LinkWhere = "body";
  let parts = "";
  let allBits = noMarks;
  let seams: number[] = [];
  let isLink = true;
  let isBold = true;
  let reversedFrom: number | undefined;

  function text(part: string, place: Place, bits: number): void {
    const isSpace = (bits & marks.word) === 0 || ((bits & marks.wide) !== 0 && part.trim() === "");
    if (isSpace && (parts === "" || parts.endsWith(" "))) return;
    const plain = isSpace ? " " : (bits & (marks.odd | marks.wide)) === 0 ? part : shown(part);
    if (plain === "") return;
    if (parts.length + plain.length > charsMax) {
      end();
      if (plain.length > charsMax) {
        // A text without any markup: in pieces, cut where there is a space.
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
      where = place.where;
      if (!place.isInLink) isLink = false;
      if (!place.isBold) isBold = false;
    }
    if (place.isReversed) reversedFrom ??= parts.length;
    else turnRound();
    const isDoubled = plain.charCodeAt(0) === 32 && (parts === "" || parts.endsWith(" "));
    parts += isDoubled ? plain.slice(1) : plain;
    allBits = joinedMarks(allBits, bits);
  }

  function turnRound(): void {
    if (reversedFrom === undefined) return;
    parts = parts.slice(0, reversedFrom) + backwards(parts.slice(reversedFrom));
    reversedFrom = undefined;
    wasReversed = true;
  }
  let wasReversed = false;

  function end(): void {
    turnRound();
    if (parts !== "" && parts !== " ") {
      const line = parts.endsWith(" ") ? parts.slice(0, -1) : parts;
      give({
        text: line,
        marks: allBits,
        seams,
        where,
        block,
        heading,
        isLink,
        isBold,
        isReversed: wasReversed,
      });
    }
    parts = "";
    allBits = noMarks;
    if (seams.length > 0) seams = [];
    isLink = true;
    isBold = true;
    wasReversed = false;
  }

  return {
    begin(kind) {
      block = kind.name;
      heading = kind.heading;
    },
    text,
    seam() {
      if (parts !== "" && seams.length < seamsMax && seams.at(-1) !== parts.length) {
        seams.push(parts.length);
      }
    },
    end,
  };
}

function pieceEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + charsMax);
  if (limit === text.length) return limit;
  const space = text.lastIndexOf(" ", limit - 1);
  return space > from ? space + 1 : limit;
}
