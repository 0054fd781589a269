import { AppError } from "../../base/app-error.ts";
import { eachOwnLine } from "../../usv/index.ts";
import { headerEndOf, targetAt } from "./part-file.ts";

/** The records of one target in the text of a part. */
export interface TargetText {
  readonly target: string;
  readonly text: string;
  /** It has a write that lost unseen. */
  readonly isConflicted: boolean;
}

/**
 * The targets of a part, in order, each with its records as they stand there. Throws `corrupt` for
 * what is not a part, or is not sorted.
 */
export function splitPart(text: string, name: string): readonly TargetText[] {
  const found: TargetText[] = [];
  const start = headerEndOf(text, name);
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
  const end = eachOwnLine(
    text,
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
  if (end < text.length) throw corrupt(name, "it is cut off");
  close(text.length);
  return found;
}

/** A piece of a string keeps all of it in memory; a copy does not. */
const standalone = (piece: string): string => Buffer.from(piece).toString();

const corrupt = (name: string, what: string) =>
  new AppError("corrupt", "ledger_part", `${name} is not a part of a checkpoint: ${what}`);
