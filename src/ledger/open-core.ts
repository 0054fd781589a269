import { AppError, assert } from "../base/app-error.ts";
import { createId } from "../base/ids.ts";
import { afterTick } from "../base/tick.ts";
import { createMemoryState } from "./state/memory-state.ts";
import { readBase } from "./replica/base-files.ts";
import { createPhysicalTime, type PhysicalTime } from "./clock/physical-time.ts";
import {
  aheadMsMax,
  noTime,
  parseStamp,
  stampOf,
  tick,
  witness,
  type HybridTime,
} from "./clock/stamp.ts";
import { nodeIdLength, sessionIdLength } from "./datagram/check-parts.ts";
import { encodeDatagram } from "./datagram/datagram-record.ts";
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { isCovered, lastKnown, sessionKey, type SessionKey } from "./fold/vector.ts";
import { createIncoming } from "./replica/incoming.ts";
import type { DatagramRange } from "./journal/journal-reader.ts";
import { openJournal, type Cut, type Journal, type DamagedFile } from "./journal/journal.ts";
import { isMoved, readNodeFile, wasMovedAway, writeNodeFile, type NodeFile } from "./node-file.ts";
import { createReplica } from "./replica/create-replica.ts";
import { emptyHead, type Base, type Replica } from "./replica/replica.ts";
import { foldAgain } from "./state/fold-again.ts";
import { stageBase } from "./state/stage-base.ts";
import type { StateHead, StateStore } from "./state/state-store.ts";
import { createSegmentLog } from "./tiers/segment-log.ts";
import { advertisedOf } from "./replica/advertised.ts";
import { again, type Core, type CoreOptions } from "./core.ts";

const unsavedMaxDefault = 2_000;
/** Save less often while journals are read at the start; that takes less time. */
const openingFactor = 5;

export async function openCore(options: CoreOptions): Promise<Core> {
  const { disk, clock, random, log, isReader = false, unsavedMax = unsavedMaxDefault } = options;
  let identity!: NodeFile;
  let journal!: Journal;
  let replica!: Replica;
  let store!: StateStore;
  let time: PhysicalTime | undefined;
  let last: HybridTime = noTime;
  let session: string | undefined;
  let sessionCount = 0;
  let durable = 0;
  let cuts: readonly Cut[] = [];
  let damaged: readonly DamagedFile[] = [];
  let stranded: readonly Datagram[] = [];
  let isSettled = false;
  /** Nothing may be saved: the state is moving to another checkpoint, or the journals change. */
  let isHeld = false;
  let saveFrom = unsavedMax;
  const followers = new Set<(datagrams: readonly Datagram[]) => void>();
  /** A datagram that was moved may come back from other nodes: then it is not ours. */
  const isOwn = (datagram: Datagram) =>
    datagram.node === identity.node && !wasMovedAway(identity, datagram);
  const timeNow = () => (time ??= createPhysicalTime(clock, last.ms)).nowMs();

  const openStore = () => {
    store?.[Symbol.dispose]();
    store = options.openState?.() ?? createMemoryState();
  };
  let loads = 0;
  const load = async (isRebuild = false) => {
    loads += 1;
    const found = await readNodeFile(disk);
    identity = found ?? (await makeIdentity());
    const base = await readBase(disk);
    // Time is at least what was seen before, whatever a clock without a battery shows.
    last = identity.highWater === "" ? noTime : parseStamp(identity.highWater);
    session = undefined;
    isHeld = identity.moving !== undefined;
    if (isReader || store === undefined) openStore();
    const head = store.head();
    const isUsable = !isRebuild && !isHeld && head !== undefined && fits(head, base);
    if (!(isUsable && (await tryFrom(head, base)))) {
      if (head && !isHeld)
        log.debug("the state of the ledger does not match its journals and is rebuilt");
      if (store.isReadOnly) store = createMemoryState();
      else store.clear();
      store.apply({ head: emptyHead });
      await loadFrom(emptyHead, base);
    }
    last = witness(last, replica.latest());
    timeNow();
    await save();
  };
  const tryFrom = (head: StateHead, base: Base) =>
    loadFrom(head, base).catch((error: unknown) => {
      if (error instanceof AppError && unusable.has(error.code)) return false;
      throw error;
    });
  /** Returns false if the journals are not those that the state was folded from. */
  const loadFrom = async (stored: StateHead, base: Base): Promise<boolean> => {
    const { moving } = identity;
    const skipped: Datagram[] = [];
    const opened = await openJournal(disk, {
      isReader,
      files: store.files(),
      runs: store.runs(),
      node: identity.node,
      mayBeMissing: ({ name, last: numbers }) =>
        Object.entries(numbers).every(
          ([of, number]) => number <= lastKnown(base.vector, `${name.split("/")[1]}/${of}`),
        ),
      async onOpened(made) {
        journal = made;
        let head = stored;
        if (head.checkpoint !== base.number) {
          const dropped = new Set(head.dropped);
          const batch = await stageBase({ store, journal, base, head, dropped });
          store.apply(batch);
          head = { ...head, ...batch.head };
        }
        replica = openReplica(base, head);
        last = witness(last, replica.latest());
      },
      async onDatagrams(datagrams) {
        const counted = moving ? datagrams.filter((one) => !isMoved(moving, one)) : datagrams;
        for (const one of counted) if (isOwn(one)) last = witness(last, parseStamp(one.stamp));
        for (const one of takeOnce(counted)) skipped.push(one);
        if (skipped.length === 0 && replica.recent().length >= unsavedMax * openingFactor)
          await save();
      },
    });
    if (!opened) return false;
    ({ cuts } = opened);
    damaged = [...damaged, ...opened.damaged];
    stranded = takeAll(skipped);
    journal.onFailure(() => {
      if (session === undefined) return;
      sessionCount = durable;
      replica.untake(`${identity.node}/${session}`, durable);
    });
    journal.onWritten(async () => {
      if (replica.recent().length < saveFrom) return;
      await new Promise<void>(afterTick); // callers whose writes have just succeeded go first
      await save();
    });
    return true;
  };
  const openReplica = (base: Base, head: StateHead): Replica =>
    createReplica({
      base,
      store,
      head,
      foldAgain: (dropped, isCounted) => foldAgain({ base, journal, dropped, isCounted }),
    });
  const save = async () => {
    if (store.isReadOnly || isHeld || stranded.length > 0) return;
    try {
      await replica.settle();
      const stats = await journal.stats();
      // No await from here on, so nothing can happen in between.
      const changes = journal.changes(stats);
      if (!changes || isHeld || !replica.isSettled()) return;
      // A datagram that is in the files and not taken yet would be missing in the state.
      for (const key of changes.keys) {
        if (journal.lastOf(key) > lastKnown(replica.vector(), key)) return;
      }
      if (!replica.save((key) => journal.lastOf(key), changes)) return;
      changes.saved();
      saveFrom = unsavedMax;
    } catch (error) {
      // The state is derived: what is not saved stays in memory, and is read from the journals next
      // time.
      saveFrom = replica.recent().length + unsavedMax;
      log.warn("the state of the ledger could not be saved; retrying", { error });
    }
  };
  /** Returns the datagrams that could not be taken, because earlier ones are missing. */
  const takeOnce = (datagrams: readonly Datagram[]): readonly Datagram[] => {
    const skipped = new Map<Dot, Datagram>();
    for (const datagram of datagrams) {
      const known = lastKnown(replica.vector(), sessionKey(datagram));
      if (datagram.number > known + 1) skipped.set(dotOf(datagram), datagram);
      else replica.take([datagram], takeOptions(datagram));
    }
    return [...skipped.values()];
  };
  /**
   * Fetched datagrams may be in the journal after those that follow them, so it needs several
   * rounds.
   */
  const takeAll = (datagrams: readonly Datagram[]): readonly Datagram[] => {
    for (let left = datagrams; ;) {
      const after = takeOnce(left).filter((one) => !isCovered(replica.vector(), one));
      if (after.length === 0 || after.length === left.length) return after;
      left = after;
    }
  };
  const takeOptions = (datagram: Datagram) => ({
    nowMs: isOwn(datagram) ? undefined : timeNow(),
  });
  const makeIdentity = async (): Promise<NodeFile> => {
    const made: NodeFile = {
      format: 1,
      node: createId(random, nodeIdLength),
      label: options.label,
      sessions: [],
      published: {},
      highWater: "",
    };
    if (!isReader) await writeNodeFile(disk, made);
    return made;
  };
  await load();

  const replaceIdentity = async (next: NodeFile) => {
    identity = next;
    await writeNodeFile(disk, next);
  };
  const mySession = () => {
    if (session === undefined) {
      session = createId(random, sessionIdLength);
      sessionCount = 0;
      durable = 0;
    }
    return session;
  };
  const incoming = createIncoming({
    journal: () => journal,
    replica: () => replica,
    nowMs: () => time!.nowMs(),
  });
  /** The last number without datagrams that were moved to another session. */
  const lastOwn = (key: SessionKey, number: number): number => {
    const moved = (identity.movedAway ?? []).filter((one) => one.key === key);
    return Math.min(number, ...moved.map((one) => one.number - 1));
  };
  /**
   * What this node wrote, is in the journal, and is not in the bucket. A restored disk that
   * receives its own datagrams back from other nodes publishes them too.
   */
  const unpublished = (): readonly DatagramRange[] => {
    const found: DatagramRange[] = [];
    for (const [key, number] of replica.vector()) {
      if (!key.startsWith(`${identity.node}/`)) continue;
      const to = lastOwn(key, key === `${identity.node}/${session}` ? durable : number);
      const published = identity.published[key] ?? 0;
      const from = Math.max(published, lastKnown(replica.base.vector, key)) + 1;
      if (from <= to) found.push({ key, from, to });
    }
    return found;
  };
  const nextStamp = () => {
    last = tick(witness(last, replica.latest()), timeNow());
    return stampOf(last);
  };

  return {
    options,
    segments: createSegmentLog(disk),
    get time() {
      return time!;
    },
    get cuts() {
      return cuts;
    },
    get damaged() {
      return damaged;
    },
    stranded: () => stranded.length,
    strandedOwn: () => stranded.filter(isOwn),
    identity: () => identity,
    saveIdentity: (change) => replaceIdentity({ ...identity, ...change }),
    replaceIdentity,
    replica: () => replica,
    journal: () => journal,
    unpublished,
    lastOnDisk: (key) => lastOwn(key, journal.lastOf(key)),
    lastNumber(of) {
      const key = `${identity.node}/${of}`;
      return Math.max(lastKnown(replica.vector(), key), identity.published[key] ?? 0);
    },
    durable: () =>
      session === undefined ? undefined : { key: `${identity.node}/${session}`, number: durable },
    follow(listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
    advertised() {
      const own =
        session === undefined
          ? undefined
          : { key: `${identity.node}/${session}`, durable, last: sessionCount };
      const isAhead = last.ms > time!.nowMs() + aheadMsMax;
      const isHidden = identity.sessions.length > 0 && (!isSettled || isAhead);
      return advertisedOf({ replica, identity, own, unpublished: isHidden ? unpublished() : [] });
    },
    settle: () => void (isSettled = true),
    nextStamp,
    highWater: () => stampOf(witness(last, replica.latest())),
    async append(drafts) {
      assert(drafts.length > 0, "an empty commit");
      const stamp = nextStamp();
      const mine = mySession();
      const commit = sessionCount + drafts.length;
      const datagrams = drafts.map((draft): Datagram => {
        sessionCount += 1;
        return {
          stamp,
          node: identity.node,
          session: mine,
          number: sessionCount,
          commit,
          ...draft,
        };
      });
      const records = datagrams.map(encodeDatagram);
      replica.take(datagrams, { nowMs: undefined, records });
      await journal.append(datagrams, records);
      durable = commit;
      for (const follower of followers) follower(datagrams);
      return datagrams;
    },
    receive: (datagrams) => incoming.receive(datagrams),
    async switchTo(base) {
      isHeld = true;
      try {
        await replica.settle();
        const dropped = new Set(replica.dropped());
        const head = store.head()!;
        const batch = await stageBase({ store, journal, base, head, dropped });
        const old = replica;
        store.apply(batch);
        replica = openReplica(base, { ...head, ...batch.head });
        takeAll(old.recent());
        replica.release(timeNow());
        for (const [key, number] of old.vector()) {
          assert(lastKnown(replica.vector(), key) >= number, `${key} was lost with a checkpoint`);
        }
      } finally {
        isHeld = false;
      }
      await save();
    },
    save,
    async rewritten() {
      await save();
      if (replica.recent().length > 0 || isHeld) await load();
    },
    reload: () => load(),
    rebuild: () => load(true),
    loads: () => loads,
    async steady(work) {
      for (;;) {
        const mine = replica;
        try {
          const value = await work(mine);
          if (value !== again) return value;
        } catch (error) {
          const isChanged = error instanceof AppError && error.code === "ledger_state_changed";
          if (isReader && isChanged) await load();
          else if (mine === replica) throw error;
        }
      }
    },
    session: mySession,
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
}

/** A state with these faults is built again. */
const unusable: ReadonlySet<string> = new Set(["ledger_state_damaged", "ledger_state_unfounded"]);

/**
 * Whether a state can be updated to a checkpoint: it is based on that one, or on an earlier one.
 */
const fits = ({ checkpoint, partNames }: StateHead, base: Base): boolean =>
  (checkpoint >= 0 && checkpoint < base.number) ||
  (checkpoint === base.number &&
    base.partNames.every((name, index) => (name ?? null) === (partNames[index] ?? null)));
