import { aheadOf, parseStamp, stampOf } from "../clock/stamp.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import { dotOf, type Datagram, type Dot } from "../datagram/datagram.ts";
import type { ScannedDatagram } from "../datagram/scan-datagrams.ts";
import { decodePart, encodePart, foldRecords } from "../fold/part-file.ts";
import { partOf, partOfChecksum, type PartState } from "../fold/part-state.ts";
import type { Spill } from "../fold/spill.ts";
import { hasFolded, lastKnown, type Vector } from "../fold/vector.ts";
import { droppedDot, quarantineKind } from "../quarantine.ts";
import type { Base } from "../replica.ts";
import { checkpointTarget } from "./keys.ts";
import { scanSegment } from "./segment.ts";

/** What a hub knows on its way from one checkpoint to the next. */
export interface HubState {
  vector(): Vector;
  aside(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  latest(): string;
  /** Takes the segment of that session that follows on what is known. Answers how many were new. */
  take(segment: { readonly body: Uint8Array; readonly key: string; readonly name: string }): Taken;
  /** Folds what is no longer ahead of time. Answers how many that were. */
  release(): number;
  /** The text of a part, with all that was taken. */
  partText(index: number): Promise<string>;
}

export interface Taken {
  readonly datagrams: number;
  /** Some are more than a hub's own word that it made a checkpoint. */
  readonly isWorthIt: boolean;
}

export interface HubStateOptions {
  readonly base: Base;
  readonly spill: Spill;
  readonly nowMs: () => number;
}

export function createHubState({ base, spill, nowMs }: HubStateOptions): HubState {
  const vector = new Map(base.vector);
  const aside = new Map(base.aside.map((datagram) => [dotOf(datagram), datagram]));
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
    aside.delete(dot);
  };

  return {
    vector: () => vector,
    aside: () => aside,
    dropped: () => dropped,
    latest: () => stampOf(parseStamp(latest)),
    take({ body, key, name }) {
      const first = lastKnown(vector, key) + 1;
      const ahead = aheadOf(nowMs());
      const early: Datagram[] = [];
      const drops: Datagram[] = [];
      const records: number[] = []; // part, from, to; part, from, to; …
      let [newest, isWorthIt] = [latest, false];
      const onDatagram = (found: ScannedDatagram) => {
        isWorthIt ||= found.target() !== checkpointTarget;
        const stamp = found.stamp();
        if (stamp > ahead) return void early.push(found.datagram());
        if (stamp > newest) newest = stamp;
        records.push(partOfChecksum(found.targetChecksum()), found.from, found.to);
        if (found.isAbout(quarantineKind)) drops.push(found.datagram());
      };
      const last = scanSegment(body, { key, first, name }, onDatagram);
      // Only now: a segment is taken whole, or stays where it is.
      for (let at = 0; at < records.length; at += 3) {
        spill.add(records[at]!, body, records[at + 1]!, records[at + 2]!);
      }
      for (const datagram of early) {
        if (!dropped.has(dotOf(datagram))) aside.set(dotOf(datagram), datagram);
      }
      for (const datagram of drops) noteDrop(datagram);
      latest = newest;
      vector.set(key, last);
      return { datagrams: last - first + 1, isWorthIt };
    },
    release() {
      const ahead = aheadOf(nowMs());
      const due = [...aside].filter(([, { stamp }]) => stamp <= ahead);
      for (const [dot, datagram] of due) {
        aside.delete(dot);
        fold(datagram);
      }
      return due.length;
    },
    async partText(index) {
      const text = await base.readPart(index);
      const part: PartState = text === undefined ? new Map() : decodePart(text, `part ${index}`);
      const isCounted = (datagram: Datagram) => dropped.size === 0 || !dropped.has(dotOf(datagram));
      for (const piece of await spill.read(index)) foldRecords(part, piece, isCounted);
      return encodePart(part, hasFolded(vector, aside));
    },
  };
}
