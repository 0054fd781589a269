import { AppError } from "../../base/app-error.ts";
import { eachOwnLine, ownLineEnd, ownLineStart } from "../../usv/index.ts";
import { decodeRecords, headerEndOf, targetAt } from "./part-file.ts";
import type { PartState, TargetState } from "./part-state.ts";

/**
 * A part of a checkpoint as it lies on the disk. Its records are sorted by target, so one target is
 * found and decoded without the thousands beside it: as text a part takes a tenth of the memory, and
 * a write to one target does not wait for all of them.
 */
export interface PartText {
  readonly length: number;
  /** Made anew with each call; undefined where nothing is known of it here. */
  read(target: string): TargetState | undefined;
}

export interface PartTextOptions {
  /** For people. */
  readonly name: string;
  /** Its order was looked at before. */
  readonly isChecked: boolean;
}

/** Throws `corrupt` for what is not a part, or is not sorted: then targets could not be found. */
export function openPartText(text: string, { name, isChecked }: PartTextOptions): PartText {
  const start = headerEndOf(text, name);
  if (!isChecked) checkOrder(text, { name, start });
  /** Where the one after the last that was asked for begins: whoever reads all asks in order. */
  let after = start;
  const startOf = (target: string): number =>
    after < text.length && targetAt(text, after, ownLineEnd(text, after) - lineEndWidth) === target
      ? after
      : boundary(text, start, (one) => one < target);
  const endOf = (target: string, from: number): number => {
    let to = from;
    while (to < text.length) {
      const next = ownLineEnd(text, to);
      if (targetAt(text, to, next - lineEndWidth) !== target) break;
      to = next;
    }
    return to;
  };
  return {
    length: text.length,
    read(target) {
      const from = startOf(target);
      const to = (after = endOf(target, from));
      if (from === to) return undefined;
      const part: PartState = new Map();
      decodeRecords(part, standalone(text.slice(from, to)), { name });
      return part.get(target);
    },
  };
}

/** Every target of a part, in order. */
export function targetsOf(text: string, name: string): readonly string[] {
  const found: string[] = [];
  let last: string | undefined;
  eachOwnLine(
    text,
    (from, end) => {
      const target = targetAt(text, from, end);
      if (target !== last) found.push(standalone(target));
      last = target;
    },
    headerEndOf(text, name),
  );
  return found;
}

/** The first place from which on records are not before what is looked for. */
function boundary(text: string, start: number, isBefore: (target: string) => boolean): number {
  let [low, high] = [start, text.length];
  while (low < high) {
    const from = ownLineStart(text, low, Math.floor((low + high) / 2));
    const next = ownLineEnd(text, from);
    if (isBefore(targetAt(text, from, next - lineEndWidth))) low = next;
    else high = from;
  }
  return low;
}

const lineEndWidth = 2;

function checkOrder(text: string, { name, start }: { name: string; start: number }): void {
  let last = "";
  const end = eachOwnLine(
    text,
    (from, lineEnd) => {
      const target = targetAt(text, from, lineEnd);
      if (target < last) throw corrupt(name, "its records are not in order");
      last = target;
    },
    start,
  );
  if (end < text.length) throw corrupt(name, "it is cut off");
}

/** A piece of a string keeps all of it in memory; a copy does not. */
const standalone = (piece: string): string => Buffer.from(piece).toString();

const corrupt = (name: string, what: string) =>
  new AppError("corrupt", "ledger_part", `${name} is not a part of a checkpoint: ${what}`);
