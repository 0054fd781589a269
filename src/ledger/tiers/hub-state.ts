import { aheadOf, parseStamp, stampOf } from "../clock/stamp.ts";
import { dotOf, type Datagram, type Dot } from "../datagram/datagram.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import { decodePart, encodePart } from "../fold/part-file.ts";
import { foldInto, partOf, type PartState } from "../fold/part-state.ts";
import type { Spill } from "../fold/spill.ts";
import { hasFolded, lastKnown, sessionKey, type Vector } from "../fold/vector.ts";
import { droppedDot } from "../quarantine.ts";
import type { Base } from "../replica.ts";

/** What a hub knows on its way from one checkpoint to the next. */
export interface HubState {
  vector(): Vector;
  aside(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  latest(): string;
  /** Takes datagrams of one session, in the order of their numbers. Answers how many were new. */
  take(datagrams: readonly Datagram[], raws: readonly string[], nowMs: number): number;
  /** Folds what is no longer ahead of time. Answers how many that were. */
  release(nowMs: number): number;
  /** The text of a part, with all that was taken. */
  partText(index: number): Promise<string>;
}

export function createHubState(base: Base, spill: Spill): HubState {
  const vector = new Map(base.vector);
  const aside = new Map(base.aside.map((datagram) => [dotOf(datagram), datagram]));
  const dropped = new Set(base.dropped);
  let latest = stampOf(base.latest);

  const fold = (datagram: Datagram, raw: string) => {
    spill.add(partOf(datagram.target), datagram, raw);
    if (datagram.stamp > latest) latest = datagram.stamp;
    const dot = droppedDot(datagram);
    if (dot === undefined) return;
    dropped.add(dot);
    aside.delete(dot);
  };

  return {
    vector: () => vector,
    aside: () => aside,
    dropped: () => dropped,
    latest: () => stampOf(parseStamp(latest)),
    take(datagrams, raws, nowMs) {
      const [first] = datagrams;
      if (!first) return 0;
      const key = sessionKey(first);
      const ahead = aheadOf(nowMs);
      let known = lastKnown(vector, key);
      const before = known;
      for (let index = 0; index < datagrams.length; index++) {
        const datagram = datagrams[index]!;
        if (datagram.number <= known) continue;
        known = datagram.number;
        if (datagram.stamp <= ahead) fold(datagram, raws[index]!);
        else if (!dropped.has(dotOf(datagram))) aside.set(dotOf(datagram), datagram);
      }
      vector.set(key, known);
      return known - before;
    },
    release(nowMs) {
      const ahead = aheadOf(nowMs);
      const due = [...aside].filter(([, { stamp }]) => stamp <= ahead);
      for (const [dot, datagram] of due) {
        aside.delete(dot);
        fold(datagram, encodeDatagram(datagram));
      }
      return due.length;
    },
    async partText(index) {
      const text = await base.readPart(index);
      const part: PartState = text === undefined ? new Map() : decodePart(text, `part ${index}`);
      for (const datagram of await spill.read(index)) {
        if (dropped.size === 0 || !dropped.has(dotOf(datagram))) foldInto(part, datagram);
      }
      return encodePart(part, hasFolded(vector, aside));
    },
  };
}
