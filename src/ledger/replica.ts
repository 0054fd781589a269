import { createHash } from "node:crypto";
import { AppError } from "../base/app-error.ts";
import { aheadOf, noTime, parseStamp, stampOf, type HybridTime } from "./clock/stamp.ts";
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { decodePart, encodePart } from "./fold/part-file.ts";
import {
  foldInto,
  partCount,
  partOf,
  type PartState,
  type TargetState,
} from "./fold/part-state.ts";
import { hasFolded, isCovered, lastKnown, sessionKey, type Vector } from "./fold/vector.ts";
import { droppedDot } from "./quarantine.ts";

/** A checkpoint that a replica stands on. */
export interface Base {
  readonly number: number;
  readonly vector: Vector;
  readonly aside: readonly Datagram[];
  readonly dropped: readonly Dot[];
  /** The latest moment that was folded into it. */
  readonly latest: HybridTime;
  /** A part that did not change keeps its name. */
  readonly partNames: readonly (string | undefined)[];
  /** The text of a part; undefined where nothing is in it. */
  readPart(index: number): Promise<string | undefined>;
}

export const noBase: Base = {
  number: 0,
  vector: new Map(),
  aside: [],
  dropped: [],
  latest: noTime,
  partNames: [],
  readPart: async () => undefined,
};

/**
 * All that a node knows: a checkpoint and the datagrams since. Parts of the checkpoint are read
 * when someone asks for them. Always the fold of base and rest, whatever came in which order.
 */
export interface Replica {
  readonly base: Base;
  vector(): Vector;
  /** Ahead of time: known, and not folded until their time has come. */
  aside(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  /** All that was taken since the checkpoint, folded or not, in the order in which it came. */
  since(): readonly Datagram[];
  /** The latest moment that was folded. */
  latest(): HybridTime;
  /** Takes what is new of it, whole commits of a session in order. A gap throws. */
  take(datagrams: readonly Datagram[], options: TakeOptions): readonly Datagram[];
  /** Folds what is no longer ahead of time. */
  release(nowMs: number): readonly Datagram[];
  /** Takes back what a failed append did not make durable. */
  untake(key: string, lastNumber: number): void;
  /** The fields of some targets, valid until the next await. */
  withTargets<T>(
    targets: readonly string[],
    use: (fieldsOf: (target: string) => TargetState | undefined) => T | Promise<T>,
  ): Promise<T>;
  /** The text of a part: the same on every replica that knows the same. */
  partText(index: number): Promise<string>;
  /** One digest of all that is folded. */
  digest(): Promise<string>;
}

export interface TakeOptions {
  /** Undefined: one's own, which is never ahead of oneself. */
  readonly nowMs: number | undefined;
}

/** How much text of the checkpoint stays decoded in memory; what came since is there anyway. */
const charactersMax = 64 * 2 ** 20;

export function createReplica(base: Base): Replica {
  const vector = new Map(base.vector);
  const aside = new Map(base.aside.map((datagram) => [dotOf(datagram), datagram]));
  const dropped = new Set(base.dropped);
  /** By part; parts that nothing was written to have none. */
  const rest = new Map<number, Datagram[]>();
  let since: Datagram[] = [];
  const loaded = new Map<number, PartState>(); // least recently used first
  /** How much of the checkpoint each loaded part has decoded. */
  const characters = new Map<number, number>();
  let charactersLoaded = 0;
  const pins = new Map<number, number>();
  let latestStamp = stampOf(base.latest);
  let latest = { stamp: latestStamp, time: base.latest };

  const fold = (datagram: Datagram) => {
    const index = partOf(datagram.target);
    const some = rest.get(index);
    if (some) some.push(datagram);
    else rest.set(index, [datagram]);
    const part = loaded.get(index);
    if (part) foldInto(part, datagram);
    if (datagram.stamp > latestStamp) latestStamp = datagram.stamp;
    const dot = droppedDot(datagram);
    if (dot !== undefined) drop(dot);
  };
  /** What was dropped while it was ahead never counts, also where its time had come already. */
  const drop = (dot: Dot) => {
    dropped.add(dot);
    if (aside.delete(dot)) return;
    for (const [index, some] of rest) {
      const left = some.filter((datagram) => dotOf(datagram) !== dot);
      if (left.length === some.length) continue;
      rest.set(index, left);
      unload(index);
    }
  };

  const load = async (index: number): Promise<PartState> => {
    for (;;) {
      const known = loaded.get(index);
      if (known) {
        loaded.delete(index);
        loaded.set(index, known);
        return known;
      }
      const text = await base.readPart(index);
      if (loaded.has(index)) continue; // another was quicker
      const part = text === undefined ? new Map() : decodePart(text, `part ${index}`);
      for (const datagram of rest.get(index) ?? []) foldInto(part, datagram);
      loaded.set(index, part);
      characters.set(index, text?.length ?? 0);
      charactersLoaded += text?.length ?? 0;
      trim();
      return part;
    }
  };
  const trim = () => {
    for (const index of loaded.keys()) {
      if (charactersLoaded <= charactersMax) return;
      if (!pins.has(index) && characters.get(index) !== 0) unload(index);
    }
  };
  const unload = (index: number) => {
    if (!loaded.delete(index)) return;
    charactersLoaded -= characters.get(index) ?? 0;
    characters.delete(index);
  };
  const pin = (index: number, by: number) => {
    const count = (pins.get(index) ?? 0) + by;
    if (count === 0) pins.delete(index);
    else pins.set(index, count);
  };

  const partText = async (index: number) => encodePart(await load(index), hasFolded(vector, aside));

  return {
    base,
    vector: () => vector,
    aside: () => aside,
    dropped: () => dropped,
    since: () => since,
    latest() {
      if (latest.stamp !== latestStamp) {
        latest = { stamp: latestStamp, time: parseStamp(latestStamp) };
      }
      return latest.time;
    },
    take(datagrams, { nowMs }) {
      const taken: Datagram[] = [];
      const ahead = nowMs === undefined ? undefined : aheadOf(nowMs);
      for (const datagram of datagrams) {
        if (isCovered(vector, datagram)) continue;
        const key = sessionKey(datagram);
        if (datagram.number !== lastKnown(vector, key) + 1) throw gap(key, datagram, vector);
        vector.set(key, datagram.number);
        taken.push(datagram);
        since.push(datagram);
        if (dropped.size > 0 && dropped.has(dotOf(datagram))) continue;
        if (ahead !== undefined && datagram.stamp > ahead) aside.set(dotOf(datagram), datagram);
        else fold(datagram);
      }
      return taken;
    },
    release(nowMs) {
      const ahead = aheadOf(nowMs);
      const due = [...aside.values()].filter(({ stamp }) => stamp <= ahead);
      for (const datagram of due) {
        aside.delete(dotOf(datagram));
        fold(datagram);
      }
      return due;
    },
    untake(key, lastNumber) {
      since = since.filter((one) => sessionKey(one) !== key || one.number <= lastNumber);
      for (const [index, some] of rest) {
        const left = some.filter((one) => sessionKey(one) !== key || one.number <= lastNumber);
        if (left.length === some.length) continue;
        rest.set(index, left);
        unload(index);
      }
      if (lastNumber === 0) vector.delete(key);
      else vector.set(key, lastNumber);
    },
    async withTargets(targets, use) {
      const indexes = [...new Set(targets.map(partOf))];
      for (const index of indexes) pin(index, 1);
      try {
        for (;;) {
          for (const index of indexes) await load(index);
          // A drop may have thrown one out while another was read.
          if (indexes.every((index) => loaded.has(index))) break;
        }
        return use((target) => loaded.get(partOf(target))!.get(target));
      } finally {
        for (const index of indexes) pin(index, -1);
        trim();
      }
    },
    partText,
    async digest() {
      const hash = createHash("sha256");
      // Each begins with its header, so where one ends is told too.
      for (let index = 0; index < partCount; index++) hash.update(await partText(index));
      return hash.digest("hex");
    },
  };
}

function gap(key: string, { number }: Datagram, vector: Vector): AppError {
  const message = `${key} has a gap: datagram ${number} came after ${lastKnown(vector, key)}`;
  return new AppError("corrupt", "ledger_gap", message);
}
