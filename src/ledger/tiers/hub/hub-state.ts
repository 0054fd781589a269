import { aheadOf, parseStamp, stampOf } from "../../clock/stamp.ts";
import { encodeDatagram } from "../../datagram/datagram-record.ts";
import { dotOf, type Datagram, type Dot } from "../../datagram/datagram.ts";
import type { FoldedPart, FoldWorker } from "./fold-worker.ts";
import { partOf } from "../../fold/part-state.ts";
import type { Spill } from "../../fold/spill.ts";
import { lastKnown, type Vector } from "../../fold/vector.ts";
import { droppedDot } from "../../replica/quarantine.ts";
import type { Base } from "../../replica/replica.ts";

/** What a hub knows while it folds from one checkpoint to the next. */
export interface HubState {
  vector(): Vector;
  heldBack(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  latest(): string;
  /**
   * Takes the next segment of that session, and ownership of its bytes. Returns how many datagrams
   * were new. One segment of a session at a time.
   */
  take(segment: {
    readonly body: Uint8Array;
    readonly key: string;
    readonly name: string;
  }): Promise<TakenDatagrams>;
  /** Folds datagrams that are no longer ahead of the time. Returns how many. */
  release(): number;
  /** Folds a part with everything that was taken. */
  foldPart(index: number): Promise<FoldedPart>;
}

export interface TakenDatagrams {
  readonly datagrams: number;
  /** Whether there is more than a hub's own note that it made a checkpoint. */
  readonly isWorthIt: boolean;
}

export interface HubStateOptions {
  readonly base: Base;
  readonly spill: Spill;
  readonly nowMs: () => number;
  readonly foldWorker: FoldWorker;
}

export function createHubState(options: HubStateOptions): HubState {
  const { base, spill, nowMs, foldWorker } = options;
  const vector = new Map(base.vector);
  const heldBack = new Map(base.heldBack.map((datagram) => [dotOf(datagram), datagram]));
  const dropped = new Set(base.dropped);
  let latest = stampOf(base.latest);

  const fold = (datagram: Datagram) => {
    const bytes = Buffer.from(encodeDatagram(datagram));
    spill.add(partOf(datagram.target), bytes, 0, bytes.length);
    if (datagram.stamp > latest) latest = datagram.stamp;
    noteDrop(datagram);
  };
  const noteDrop = (datagram: Datagram) => {
    const dot = droppedDot(datagram);
    if (dot === undefined) return;
    dropped.add(dot);
    heldBack.delete(dot);
  };

  return {
    vector: () => vector,
    heldBack: () => heldBack,
    dropped: () => dropped,
    latest: () => stampOf(parseStamp(latest)),
    async take({ body, key, name }) {
      const first = lastKnown(vector, key) + 1;
      const found = await foldWorker.scan({ body, key, first, name, ahead: aheadOf(nowMs()) });
      // Only now: a segment is taken completely or not at all.
      const { records, last } = found;
      for (let at = 0; at < records.length; at += 3) {
        spill.add(records[at]!, found.body, records[at + 1]!, records[at + 2]!);
      }
      for (const datagram of found.early) {
        if (!dropped.has(dotOf(datagram))) heldBack.set(dotOf(datagram), datagram);
      }
      for (const datagram of found.drops) noteDrop(datagram);
      if (found.newest > latest) latest = found.newest;
      vector.set(key, last);
      return { datagrams: last - first + 1, isWorthIt: found.isWorthIt };
    },
    release() {
      const ahead = aheadOf(nowMs());
      const due = [...heldBack].filter(([, { stamp }]) => stamp <= ahead);
      for (const [dot, datagram] of due) {
        heldBack.delete(dot);
        fold(datagram);
      }
      return due.length;
    },
    async foldPart(index) {
      const before = await base.readPart(index);
      const pieces = await spill.read(index);
      return foldWorker.fold({
        index,
        base: before,
        pieces,
        vector,
        heldBack: new Set(heldBack.keys()),
        dropped,
      });
    },
  };
}
