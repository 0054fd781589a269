import { AppError } from "../../base/app-error.ts";
import { eachOwnLine, ownLineEnd, ownLineStart } from "../../usv/index.ts";
import { headerEndOf, targetAt } from "./part-file.ts";

/** The records of one target in the text of a part. */
export interface TargetText {
  readonly target: string;
  readonly text: string;
  /** It has a conflict: a write that lost unseen. */
  readonly isConflicted: boolean;
}

/**
 * The targets of a part, in order, each with its records as text. A part may have megabytes, so it
 * is read piece by piece and the caller can let other work run in between. Throws `corrupt` if the
 * text is not a part, or is not sorted.
 */
export function* splitPart(
  text: string,
  name: string,
  pieceLength = 100_000,
): Generator<TargetText> {
  let found: TargetText[] = [];
  let open: { target: string; from: number; isConflicted: boolean } | undefined;
  const close = (to: number) => {
    if (!open) return;
    const { target, from, isConflicted } = open;
    found.push({
      target: standalone(target),
      text: standalone(text.slice(from, to)),
      isConflicted,
    });
  };
  for (let start = headerEndOf(text, name); start < text.length;) {
    const pieceEnd = endOfPiece(text, start, pieceLength);
    const end = eachOwnLine(
      text.slice(0, pieceEnd),
      (from, lineEnd) => {
        const target = targetAt(text, from, lineEnd);
        if (open && target < open.target) throw corrupt(name, "its records are not in order");
        if (target !== open?.target) {
          close(from);
          open = { target, from, isConflicted: false };
        }
        if (text[from] === "c") open.isConflicted = true;
      },
      start,
    );
    if (end < pieceEnd) throw corrupt(name, "it is cut off");
    yield* found;
    found = [];
    start = pieceEnd;
  }
  close(text.length);
  yield* found;
}

/** The end of the record at which a piece that begins at `start` reaches `length`. */
function endOfPiece(text: string, start: number, length: number): number {
  const at = start + length;
  return at >= text.length ? text.length : ownLineEnd(text, ownLineStart(text, start, at));
}

/** A copy. A slice of a string would keep the whole string in memory. */
const standalone = (piece: string): string => Buffer.from(piece).toString();

const corrupt = (name: string, what: string) =>
  new AppError("corrupt", "ledger_part", `${name} is not a part of a checkpoint: ${what}`);
