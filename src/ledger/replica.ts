import { createHash } from "node:crypto";
import { AppError } from "../base/app-error.ts";
import { aheadOf, noTime, parseStamp, stampOf, type HybridTime } from "./clock/stamp.ts";
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { decodePart, encodePart } from "./fold/part-file.ts";
import { openPartText, type PartText } from "./fold/part-text.ts";
import {
  foldInto,
  partCount,
  partOf,
  type PartState,
  type TargetState,
} from "./fold/part-state.ts";
import {
  hasFolded,
  isCovered,
  lastKnown,
  sessionKey,
  type SessionKey,
  type Vector,
} from "./fold/vector.ts";
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
 * All that a node knows: a checkpoint and the datagrams since. Parts of the checkpoint are read, and
 * targets in them decoded, when someone asks for them. Always the fold of base and rest, whatever came in which order.
 */
export interface Replica {
  readonly base: Base;
  vector(): Vector;
  /** Ahead of time: known, and not folded until their time has come. */
  aside(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  /** All that was taken since the checkpoint, folded or not, in the order in which it came. */
  since(): readonly Datagram[];
  /** Those of one session in order, without a gap; none where the checkpoint has all of them. */
  sinceOf(key: SessionKey): readonly Datagram[];
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

/** How much text of the checkpoint stays in memory. */
const charactersMax = 64 * 2 ** 20;
/** Of the fields of targets that were decoded; what came since is in memory anyway. */
const cellsMax = 50_000;

export function createReplica(base: Base): Replica {
  const vector = new Map(base.vector);
  const aside = new Map(base.aside.map((datagram) => [dotOf(datagram), datagram]));
  const dropped = new Set(base.dropped);
  /** By part and target; of what nothing was written to there is none. */
  const rest = new Map<number, Map<string, Datagram[]>>();
  let since: Datagram[] = [];
  const texts = new Map<number, PartText>(); // least recently used first
  const bySession = new Map<SessionKey, Datagram[]>();
  let charactersLoaded = 0;
  const hasOrder = new Set<number>();
  /** Decoded targets: always the fold of checkpoint and rest. Least recently used first. */
  const states: PartState = new Map();
  let cells = 0;
  let latestStamp = stampOf(base.latest);
  let latest = { stamp: latestStamp, time: base.latest };

  const fold = (datagram: Datagram) => {
    const { target } = datagram;
    const index = partOf(target);
    let some = rest.get(index);
    if (!some) rest.set(index, (some = new Map()));
    const own = some.get(target);
    if (own) own.push(datagram);
    else some.set(target, [datagram]);
    const state = states.get(target);
    if (state) {
      cells -= state.size;
      foldInto(states, datagram);
      cells += state.size;
    }
    if (datagram.stamp > latestStamp) latestStamp = datagram.stamp;
    const dot = droppedDot(datagram);
    if (dot !== undefined) drop(dot);
  };
  /** What was dropped while it was ahead never counts, also where its time had come already. */
  const drop = (dot: Dot) => {
    dropped.add(dot);
    if (!aside.delete(dot)) keepOnly((datagram) => dotOf(datagram) !== dot);
  };
  const keepOnly = (isKept: (datagram: Datagram) => boolean) => {
    for (const some of rest.values()) {
      for (const [target, own] of some) {
        const left = own.filter(isKept);
        if (left.length === own.length) continue;
        if (left.length === 0) some.delete(target);
        else some.set(target, left);
        discard(target);
      }
    }
  };
  const discard = (target: string) => {
    cells -= states.get(target)?.size ?? 0;
    states.delete(target);
  };

  /** Undefined: nothing of that part is in the checkpoint. */
  const load = async (index: number): Promise<PartText | undefined> => {
    for (;;) {
      const known = texts.get(index);
      if (known) {
        texts.delete(index);
        texts.set(index, known);
        return known;
      }
      const text = await base.readPart(index);
      if (text === undefined) return undefined;
      if (texts.has(index)) continue; // another was quicker
      const name = `part ${index}`;
      const part = openPartText(text, { name, isChecked: hasOrder.has(index) });
      hasOrder.add(index);
      texts.set(index, part);
      charactersLoaded += part.length;
      for (const [oldest, { length }] of texts) {
        if (charactersLoaded <= charactersMax || oldest === index) break;
        texts.delete(oldest);
        charactersLoaded -= length;
      }
      return part;
    }
  };
  const stateOf = (target: string, part: PartText | undefined): TargetState | undefined => {
    const index = partOf(target);
    let state = states.get(target);
    if (state) states.delete(target);
    else {
      state = part?.read(target);
      const own = rest.get(index)?.get(target);
      if (!state && !own) return undefined;
      const alone: PartState = new Map([[target, (state ??= new Map())]]);
      for (const datagram of own ?? []) foldInto(alone, datagram);
      cells += state.size;
    }
    states.set(target, state);
    for (const oldest of states.keys()) {
      if (cells <= cellsMax || oldest === target) break;
      discard(oldest);
    }
    return state;
  };

  const partText = async (index: number) => {
    const text = await base.readPart(index);
    const part: PartState = text === undefined ? new Map() : decodePart(text, `part ${index}`);
    for (const own of rest.get(index)?.values() ?? []) {
      for (const datagram of own) foldInto(part, datagram);
    }
    return encodePart(part, hasFolded(vector, aside));
  };

  return {
    base,
    vector: () => vector,
    aside: () => aside,
    dropped: () => dropped,
    since: () => since,
    sinceOf: (key) => bySession.get(key) ?? [],
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
        const some = bySession.get(key);
        if (some) some.push(datagram);
        else bySession.set(key, [datagram]);
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
      const isKept = (one: Datagram) => sessionKey(one) !== key || one.number <= lastNumber;
      since = since.filter(isKept);
      const mine = bySession.get(key)?.filter(isKept) ?? [];
      if (mine.length === 0) bySession.delete(key);
      else bySession.set(key, mine);
      keepOnly(isKept);
      if (lastNumber === 0) vector.delete(key);
      else vector.set(key, lastNumber);
    },
    async withTargets(targets, use) {
      const parts = new Map<number, PartText | undefined>();
      for (;;) {
        // What was decoded may be thrown out while another part is read.
        const missing = targets.find((one) => !states.has(one) && !parts.has(partOf(one)));
        if (missing === undefined) break;
        const index = partOf(missing);
        parts.set(index, await load(index));
      }
      return use((target) => stateOf(target, parts.get(partOf(target))));
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
