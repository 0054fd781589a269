import { afterTick } from "../../base/tick.ts";
import { dotOf, type Datagram, type Dot } from "../datagram/datagram.ts";
import { decodeTarget, encodeTarget } from "../fold/part-file.ts";
import { foldInto, partCount, partOf, type PartState } from "../fold/part-state.ts";
import { splitPart } from "../fold/part-text.ts";
import { hasFolded, isCovered, lastKnown, type SessionKey } from "../fold/vector.ts";
import { AppError } from "../../base/app-error.ts";
import { stampOf } from "../clock/stamp.ts";
import type { JournalReader } from "../journal/journal-reader.ts";
import { isConflicted, type Base } from "../replica/replica.ts";
import type { StateBatch, StateHead, StateStore, StoredTarget } from "./state-store.ts";

export interface StageBaseOptions {
  readonly store: StateStore;
  readonly journal: Pick<JournalReader, "read">;
  /** The checkpoint to switch to. */
  readonly base: Base;
  /** What is in the store now. */
  readonly head: StateHead;
  readonly dropped: ReadonlySet<Dot>;
}

/**
 * Prepares the store for another checkpoint: writes its changed parts beside the old ones, together
 * with what the store knows beyond the checkpoint. Returns the batch that puts all of it in force
 * at once. Until that batch is applied the old parts count. Other work runs between the steps;
 * nothing may be saved.
 */
export async function stageBase(options: StageBaseOptions): Promise<StateBatch> {
  const { store, journal, base, head } = options;
  const parts = Array.from({ length: partCount }, (_, index) => index).filter(
    (index) => (base.partNames[index] ?? null) !== (head.partNames[index] ?? null),
  );
  store.apply({ dropStaged: true });
  for (const index of parts) {
    const text = await base.readPart(index);
    if (text !== undefined) await stagePart(store, splitPart(text, `part ${index}`));
  }
  const next = nextHead(options);
  const isChanged = new Set(parts);
  const heldBack = new Set(next.heldBack.map(dotOf));
  const isKnown = hasFolded(new Map(Object.entries(next.vector)), heldBack);
  const isCounted = (one: Datagram) => {
    if (!isChanged.has(partOf(one.target))) return false;
    const dot = dotOf(one);
    return !options.dropped.has(dot) && !heldBack.has(dot);
  };
  for (const [key, to] of Object.entries(head.vector)) {
    const from = lastKnown(base.vector, key) + 1;
    let reached = from - 1;
    for await (const some of from <= to ? journal.read({ key, from, to }) : []) {
      reached = some.at(-1)!.number;
      foldStaged(store, some.filter(isCounted), isKnown);
    }
    if (reached < Math.max(to, from - 1)) throw notInJournal(key, reached + 1);
  }
  return { promote: parts, head: next };
}

/**
 * How many targets are staged before other work runs: an append waits for a few milliseconds at
 * most.
 */
const stagedAtOnce = 50;

async function stagePart(store: StateStore, targets: Iterable<StoredTarget>): Promise<void> {
  let staged: StoredTarget[] = [];
  const apply = async () => {
    store.apply({ staged });
    staged = [];
    await new Promise<void>(afterTick);
  };
  for (const one of targets) {
    staged.push(one);
    if (staged.length === stagedAtOnce) await apply();
  }
  await apply();
}

/** The head of the store after the switch. */
function nextHead({ base, head, dropped }: StageBaseOptions): StateHead {
  const vector = new Map<SessionKey, number>(Object.entries(head.vector));
  for (const [key, number] of base.vector) {
    vector.set(key, Math.max(number, lastKnown(vector, key)));
  }
  const latest = stampOf(base.latest);
  return {
    checkpoint: base.number,
    partNames: base.partNames.map((name) => name ?? null),
    vector: Object.fromEntries(vector),
    heldBack: [...base.heldBack, ...head.heldBack.filter((one) => !isCovered(base.vector, one))],
    dropped: [...new Set([...base.dropped, ...dropped])],
    latest: latest > head.latest ? latest : head.latest,
  };
}

function foldStaged(
  store: StateStore,
  datagrams: readonly Datagram[],
  isKnown: (dot: Dot) => boolean,
): void {
  const part: PartState = new Map();
  for (const { target } of datagrams) {
    if (part.has(target)) continue;
    const text = store.readStaged(target);
    part.set(target, text === undefined ? new Map() : decodeTarget(target, text));
  }
  for (const datagram of datagrams) foldInto(part, datagram);
  const staged = [...part].map(([target, fields]) => {
    const text = encodeTarget(target, fields, isKnown);
    return { target, text, isConflicted: isConflicted(fields) };
  });
  if (staged.length > 0) store.apply({ staged });
}

const notInJournal = (key: SessionKey, number: number) =>
  new AppError(
    "corrupt",
    "ledger_state_unfounded",
    `datagram ${number} of ${key} is folded, and in no journal and no checkpoint`,
  );
