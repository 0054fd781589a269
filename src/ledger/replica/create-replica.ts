import { createHash } from "node:crypto";
import { AppError, assert } from "../../base/app-error.ts";
import { aheadOf, parseStamp } from "../clock/stamp.ts";
import { dotOf, type Datagram, type Dot } from "../datagram/datagram.ts";
import { decodeTarget, encodeTarget, partHeader } from "../fold/part-file.ts";
import {
  foldInto,
  partCount,
  partOf,
  type PartState,
  type TargetState,
} from "../fold/part-state.ts";
import {
  hasFolded,
  isCovered,
  lastKnown,
  sessionKey,
  type SessionKey,
  type Vector,
} from "../fold/vector.ts";
import { droppedDot } from "./quarantine.ts";
import { compareBytes } from "../state/memory-state.ts";
import type { StateStore, StoredTarget } from "../state/state-store.ts";

import { isConflicted, type Replica, type ReplicaOptions } from "./replica.ts";

/** How many fields of decoded targets are kept in memory. */
const cellsMax = 20_000;
/** How many targets are remembered as not stored. */
const absentMax = 10_000;
/** How many targets are read from the store in one call. */
const pageSize = 1_000;

export function createReplica({ base, store, head, foldAgain }: ReplicaOptions): Replica {
  const vector = new Map(Object.entries(head.vector));
  /** The vector that the store has. */
  let saved: ReadonlyMap<SessionKey, number> = new Map(vector);
  const heldBack = new Map(head.heldBack.map((datagram) => [dotOf(datagram), datagram]));
  const dropped = new Set(head.dropped);
  /** Dropped datagrams that are folded into the store: their targets have to be folded again. */
  const unfolded = new Set<Dot>();
  /** By part and target: datagrams that are folded, but not in the store yet. */
  const rest = new Map<number, Map<string, Datagram[]>>();
  let recent: Datagram[] = [];
  /** Texts that replace those in the store, if the store is read-only. */
  const replaced = new Map<string, string>();
  /** Decoded targets: always the fold of store and `rest`. Least recently used first. */
  const states: PartState = new Map();
  let cells = 0;
  /** Targets neither in the store nor in `rest`: a new company is looked up many times. */
  const absent = new Set<string>();
  let latestStamp = head.latest;
  let latest = { stamp: latestStamp, time: parseStamp(latestStamp) };
  let isHeldBackChanged = false;

  const fold = (datagram: Datagram, record?: string) => {
    const { target } = datagram;
    const index = partOf(target);
    let some = rest.get(index);
    if (!some) rest.set(index, (some = new Map()));
    const own = some.get(target);
    if (own) own.push(datagram);
    else some.set(target, [datagram]);
    if (absent.delete(target)) states.set(target, new Map());
    const state = states.get(target);
    if (state) {
      cells -= state.size;
      foldInto(states, datagram, record);
      cells += state.size;
    }
    if (datagram.stamp > latestStamp) latestStamp = datagram.stamp;
    const dot = droppedDot(datagram);
    if (dot !== undefined) drop(dot);
  };
  /**
   * A datagram that was dropped while it was ahead never counts, even on nodes where its time had
   * come already.
   */
  const drop = (dot: Dot) => {
    if (dropped.has(dot)) return;
    dropped.add(dot);
    isHeldBackChanged = true;
    if (heldBack.delete(dot)) return;
    keepOnly((datagram) => dotOf(datagram) !== dot);
    const at = dot.lastIndexOf("/");
    const [key, number] = [dot.slice(0, at), Number(dot.slice(at + 1))];
    const isSaved = number <= lastKnown(saved, key) && number > lastKnown(base.vector, key);
    if (isSaved) unfolded.add(dot);
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
    absent.delete(target);
  };
  const isKnown = hasFolded(vector, heldBack);

  const settle = async () => {
    while (unfolded.size > 0) {
      const dots = [...unfolded];
      const inMemory = new Set(
        [...rest.values()].flatMap((some) => [...some.values()].flat().map(dotOf)),
      );
      const found = await foldAgain(dots, (one) => {
        const dot = dotOf(one);
        return (
          isCovered(saved, one) && !inMemory.has(dot) && !heldBack.has(dot) && !dropped.has(dot)
        );
      });
      for (const dot of dots) unfolded.delete(dot);
      for (const [target, fields] of found) {
        const text = encodeTarget(target, fields, isKnown);
        if (store.isReadOnly) replaced.set(target, text);
        else store.apply({ targets: [{ target, text, isConflicted: isConflicted(fields) }] });
        discard(target);
      }
    }
  };
  const storedText = (target: string) => replaced.get(target) ?? store.read(target);
  const decode = (target: string, own: readonly Datagram[]): TargetState | undefined => {
    const text = storedText(target);
    if (text === undefined && own.length === 0) return undefined;
    const state: TargetState = text === undefined ? new Map() : decodeStored(store, target, text);
    const alone: PartState = new Map([[target, state]]);
    for (const datagram of own) foldInto(alone, datagram);
    return state;
  };
  const stateOf = (target: string): TargetState | undefined => {
    let state = states.get(target);
    if (state) states.delete(target);
    else {
      if (absent.has(target)) return undefined;
      state = decode(target, rest.get(partOf(target))?.get(target) ?? []);
      if (!state) {
        if (absent.size === absentMax) absent.clear();
        absent.add(target);
        return undefined;
      }
      cells += state.size;
    }
    states.set(target, state);
    for (const oldest of states.keys()) {
      if (cells <= cellsMax || oldest === target) break;
      discard(oldest);
    }
    return state;
  };
  function* storedOf(index: number): Generator<StoredTarget> {
    for (let after: string | undefined; ;) {
      const page = store.list(index, { ...(after !== undefined && { after }), limit: pageSize });
      yield* page;
      if (page.length < pageSize) return;
      after = page.at(-1)!.target;
    }
  }

  const partText = async (index: number) => {
    await settle();
    const texts = new Map<string, string>();
    for (const { target, text } of storedOf(index)) texts.set(target, replaced.get(target) ?? text);
    for (const [target, text] of texts) {
      // A datagram that was only named when this text was saved may have arrived since, in another
      // target.
      if (hasName(text))
        texts.set(target, encodeTarget(target, decodeTarget(target, text), isKnown));
    }
    for (const [target, own] of rest.get(index) ?? []) {
      const state = decode(target, own);
      if (state) texts.set(target, encodeTarget(target, state, isKnown));
    }
    const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
    return partHeader + sorted.map(([, text]) => text).join("");
  };

  return {
    base,
    vector: () => vector,
    beyond() {
      let count = 0;
      for (const [key, last] of vector) count += Math.max(0, last - lastKnown(base.vector, key));
      return count;
    },
    heldBack: () => heldBack,
    dropped: () => dropped,
    recent: () => recent,
    latest() {
      if (latest.stamp !== latestStamp) {
        latest = { stamp: latestStamp, time: parseStamp(latestStamp) };
      }
      return latest.time;
    },
    take(datagrams, { nowMs, records }) {
      const taken: Datagram[] = [];
      const ahead = nowMs === undefined ? undefined : aheadOf(nowMs);
      for (const [at, datagram] of datagrams.entries()) {
        if (isCovered(vector, datagram)) continue;
        const key = sessionKey(datagram);
        if (datagram.number !== lastKnown(vector, key) + 1) throw gap(key, datagram, vector);
        vector.set(key, datagram.number);
        taken.push(datagram);
        recent.push(datagram);
        if (dropped.size > 0 && dropped.has(dotOf(datagram))) continue;
        if (ahead !== undefined && datagram.stamp > ahead) {
          heldBack.set(dotOf(datagram), datagram);
          isHeldBackChanged = true;
        } else fold(datagram, records?.[at]);
      }
      return taken;
    },
    release(nowMs) {
      if (heldBack.size === 0) return [];
      const ahead = aheadOf(nowMs);
      const due = [...heldBack.values()].filter(({ stamp }) => stamp <= ahead);
      for (const datagram of due) {
        heldBack.delete(dotOf(datagram));
        isHeldBackChanged = true;
        fold(datagram);
      }
      return due;
    },
    untake(key, lastNumber) {
      const isKept = (one: Datagram) => sessionKey(one) !== key || one.number <= lastNumber;
      recent = recent.filter(isKept);
      keepOnly(isKept);
      if (lastNumber === 0) vector.delete(key);
      else vector.set(key, lastNumber);
    },
    isSettled: () => unfolded.size === 0,
    settle,
    async withTargets(_targets, use) {
      if (unfolded.size > 0) await settle();
      return use(stateOf);
    },
    fieldsWithin(target, fields) {
      const state = states.get(target);
      if (state) return fields.filter((field) => state.has(field));
      const own = new Set(
        rest
          .get(partOf(target))
          ?.get(target)
          ?.map(({ field }) => field),
      );
      const text = storedText(target) ?? "";
      return fields.filter((field) => own.has(field) || text.includes(field));
    },
    async targetsOf(index) {
      const found = new Set(rest.get(index)?.keys());
      for (const { target } of storedOf(index)) found.add(target);
      return [...found].sort();
    },
    async conflicted(page) {
      await settle();
      const { after, limit } = page;
      const stored = store.listConflicted(page).map(({ target }) => target);
      const next = stored.length < limit ? undefined : stored.at(-1)!;
      const isInPage = (target: string) =>
        (after === undefined || compareBytes(target, after) > 0) &&
        (next === undefined || compareBytes(target, next) <= 0);
      const unsaved = [...rest.values()].flatMap((some) => [...some.keys()].filter(isInPage));
      return { targets: [...new Set([...stored, ...unsaved])].sort(compareBytes), next };
    },
    partText,
    async digest() {
      const hash = createHash("sha256");
      // Each part begins with a header, so the hash also covers where a part ends.
      for (let index = 0; index < partCount; index++) hash.update(await partText(index));
      return hash.digest("hex");
    },
    save(durable, { files, runs, dropFiles }) {
      assert(unfolded.size === 0, "a state is saved before it was settled");
      const limits = new Map<SessionKey, number>();
      const limitOf = (key: SessionKey) => {
        let limit = limits.get(key);
        if (limit === undefined) {
          limits.set(key, (limit = Math.max(durable(key), lastKnown(saved, key))));
        }
        return limit;
      };
      const isDurable = (one: Datagram) => one.number <= limitOf(sessionKey(one));
      const targets: StoredTarget[] = [];
      const left: Datagram[] = [];
      for (const some of rest.values()) {
        for (const [target, own] of some) {
          const ready = own.every(isDurable) ? own : own.filter(isDurable);
          if (ready.length < own.length) left.push(...own.filter((one) => !isDurable(one)));
          if (ready.length === 0) continue;
          const known = ready === own ? states.get(target) : undefined;
          const fields = known ?? decode(target, ready)!;
          const text = encodeTarget(target, fields, isKnown);
          targets.push({ target, text, isConflicted: isConflicted(fields) });
        }
      }
      // A dropped datagram is known at once; it must not be saved before the one that drops it is
      // durable.
      if (left.some((one) => droppedDot(one) !== undefined)) return false;
      const next = new Map<SessionKey, number>();
      for (const [key, number] of vector) {
        const last = Math.min(number, limitOf(key));
        if (last > 0) next.set(key, last);
      }
      const isSame =
        targets.length + files.length + runs.length + dropFiles.length === 0 && !isHeldBackChanged;
      if (isSame) return true;
      const lists = { heldBack: [...heldBack.values()], dropped: [...dropped] };
      store.apply({
        files,
        runs,
        dropFiles,
        targets,
        head: {
          vector: Object.fromEntries(next),
          latest: latestStamp,
          ...(isHeldBackChanged && lists),
        },
      });
      saved = next;
      isHeldBackChanged = false;
      recent = recent.filter((one) => !isDurable(one));
      rest.clear();
      for (const datagram of left) {
        const index = partOf(datagram.target);
        const some = rest.get(index) ?? new Map<string, Datagram[]>();
        rest.set(index, some);
        some.set(datagram.target, [...(some.get(datagram.target) ?? []), datagram]);
      }
      return true;
    },
  };
}

/** A damaged record in the store is never used; the next start builds the store again. */
function decodeStored(store: StateStore, target: string, text: string): TargetState {
  try {
    return decodeTarget(target, text);
  } catch (cause) {
    if (!store.isReadOnly) store.apply({ head: { checkpoint: noCheckpoint } });
    const message =
      `the stored state of ${target} is damaged: stop all processes of this data folder and start ` +
      `again; the state is then rebuilt, and nothing is lost`;
    throw new AppError("corrupt", "ledger_state_damaged", message, { cause });
  }
}

/** A state with this checkpoint number is never used. */
const noCheckpoint = -1;

/**
 * True if the text has a record that begins with `n`: at its start, or after the end of another
 * record.
 */
const hasName = (text: string): boolean => text.startsWith(nameRole) || text.includes(nameInside);
const nameRole = "n\u001f";
const nameInside = `\u001e\n${nameRole}`;

function gap(key: string, { number }: Datagram, vector: Vector): AppError {
  const message = `${key} has a gap: datagram ${number} came after ${lastKnown(vector, key)}`;
  return new AppError("corrupt", "ledger_gap", message);
}
