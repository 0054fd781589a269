import { dotOf, type Datagram, type Dot } from "../datagram/datagram.ts";
import { decodeTarget } from "../fold/part-file.ts";
import { foldInto, partOf, type PartState } from "../fold/part-state.ts";
import { splitPart } from "../fold/part-text.ts";
import { isCovered } from "../fold/vector.ts";
import type { JournalReader } from "../journal/journal-reader.ts";
import type { Base } from "../replica/replica.ts";

export interface FoldAgainOptions {
  readonly base: Base;
  readonly journal: JournalReader;
  /** Datagrams that must not count any more. */
  readonly dropped: readonly Dot[];
  readonly isCounted: (datagram: Datagram) => boolean;
}

/**
 * Folds the targets of the dropped datagrams again, from checkpoint and journals. Reads all
 * journals.
 */
export async function foldAgain(options: FoldAgainOptions): Promise<PartState> {
  const { base, journal, dropped, isCounted } = options;
  const part: PartState = new Map();
  for (const dot of dropped) {
    const at = dot.lastIndexOf("/");
    const [key, number] = [dot.slice(0, at), Number(dot.slice(at + 1))];
    for (const { target } of await journal.readAll({ key, from: number, to: number })) {
      if (part.has(target)) continue;
      const index = partOf(target);
      const text = await base.readPart(index);
      part.set(target, new Map());
      for (const own of text === undefined ? [] : splitPart(text, `part ${index}`)) {
        if (own.target !== target) continue;
        part.set(target, decodeTarget(target, own.text));
        break;
      }
    }
  }
  const seen = new Set<Dot>();
  for await (const some of journal.scan()) {
    for (const datagram of some) {
      if (!part.has(datagram.target) || isCovered(base.vector, datagram)) continue;
      const dot = dotOf(datagram);
      if (seen.has(dot) || !isCounted(datagram)) continue;
      seen.add(dot);
      foldInto(part, datagram);
    }
  }
  return part;
}
