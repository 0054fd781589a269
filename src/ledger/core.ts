import { assert } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { readBase } from "./base-files.ts";
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
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { isCovered, lastKnown, sessionKey, type Vector } from "./fold/vector.ts";
import { createIncoming } from "./incoming.ts";
import type { LedgerDisk } from "./journal/disk.ts";
import { openJournal, type Cut, type Journal, type SetAside } from "./journal/journal.ts";
import { isMoved, readNodeFile, wasMovedAway, writeNodeFile, type NodeFile } from "./node-file.ts";
import { createReplica, type Base, type Replica } from "./replica.ts";
import { createSegmentLog, type SegmentLog } from "./tiers/segment-log.ts";
import { toldOf } from "./told.ts";

export interface CoreOptions {
  readonly disk: LedgerDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What people call this machine. */
  readonly label: string;
  /** Looks and writes nothing; needs no lock. */
  readonly isReader?: boolean;
}

/**
 * What the parts of an open ledger share: who it is, what it knows, what time it is. Always:
 * - the replica holds what is in the journal, and one's own writes that are on their way to it;
 * - one's own datagrams are in `unpublished` once they are durable, until the bucket has them.
 */
export interface Core {
  readonly options: CoreOptions;
  readonly time: PhysicalTime;
  readonly cuts: readonly Cut[];
  /** Where the segments end that this node has sent. */
  readonly segments: SegmentLog;
  /** Journal files that were found damaged when it was opened. */
  readonly damaged: readonly SetAside[];
  /** Datagrams in the journal whose predecessors are missing: the checkpoint they follow is gone. */
  stranded(): number;
  /** Those of them that this node wrote, each session's in order. */
  strandedOwn(): readonly Datagram[];
  identity(): NodeFile;
  saveIdentity(change: Partial<NodeFile>): Promise<void>;
  replaceIdentity(identity: NodeFile): Promise<void>;
  replica(): Replica;
  journal(): Journal;
  /** One's own, durable, not yet known to be in the bucket; each session's in order. */
  unpublished(): readonly Datagram[];
  /** The last number of one's own session that this disk has ever had. */
  lastNumber(session: string): number;
  /** This life's session, and its last number that is on the disk; undefined before a write. */
  durable(): { readonly key: string; readonly number: number } | undefined;
  /** Calls with what this node wrote, once it is on the disk, in order. Answers how to stop. */
  follow(listener: (datagrams: readonly Datagram[]) => void): () => void;
  /**
   * What others may be told of: what is on the disk. A node that has met a bucket tells of its own
   * writes only when it has met it in this life too: before that they may have to be written anew,
   * because the clock was wrong or the disk is a clone, and must not be known to anyone.
   */
  told(): Vector;
  /** The bucket was met in this life: time and name are right. */
  settle(): void;
  /** The bucket has that session up to that number. */
  published(key: string, number: number): void;
  /** Gives the next moment, later than all that was seen. */
  nextStamp(): string;
  highWater(): string;
  /** Stamps, folds and journals; undefined session: this life's. Resolves when it is durable. */
  append(drafts: readonly Draft[]): Promise<readonly Datagram[]>;
  /** Journals and folds what came from others; see `incoming.ts`. */
  receive(datagrams: readonly Datagram[]): Promise<readonly Datagram[]>;
  /** Goes over to another checkpoint, keeping what it does not cover. */
  standOn(base: Base): void;
  /** Reads everything anew, after the files have changed. */
  reload(): Promise<void>;
  /** Works on the replica, again if another took its place meanwhile: its files may be gone. */
  steady<T>(work: (replica: Replica) => Promise<T | Again>): Promise<T>;
  /** This life's session; made with the first write. */
  session(): string;
}

/** What steady work answers when it found that its replica is the one before. */
export const again = Symbol("again");
export type Again = typeof again;

export type Draft = Pick<Datagram, "target" | "field" | "value" | "source" | "causality">;

export async function openCore(options: CoreOptions): Promise<Core> {
  const { disk, clock, random, isReader = false } = options;
  let identity!: NodeFile;
  let journal!: Journal;
  let replica!: Replica;
  let time: PhysicalTime | undefined;
  let last: HybridTime = noTime;
  let session: string | undefined;
  let sessionCount = 0;
  let durable = 0;
  let unpublished: Datagram[] = [];
  let cuts: readonly Cut[] = [];
  let damaged: readonly SetAside[] = [];
  let stranded: readonly Datagram[] = [];
  let isSettled = false;
  const followers = new Set<(datagrams: readonly Datagram[]) => void>();
  /** The bucket has it. */
  const isOut = (datagram: Datagram) =>
    datagram.number <= (identity.published[sessionKey(datagram)] ?? 0) ||
    isCovered(replica.base.vector, datagram);
  /** What was written anew under another name may come back from others: then it is not ours. */
  const isOwn = (datagram: Datagram) =>
    datagram.node === identity.node && !wasMovedAway(identity, datagram);

  const load = async () => {
    const found = await readNodeFile(disk);
    identity = found ?? (await makeIdentity());
    const opened = await openJournal(disk, { isReader });
    journal = opened.journal;
    cuts = opened.cuts;
    damaged = [...damaged, ...opened.damaged];
    const base = await readBase(disk);
    const { moving } = identity;
    const counted = moving
      ? opened.datagrams.filter((datagram) => !isMoved(moving, datagram))
      : opened.datagrams;
    // Time is at least what was seen before, however a clock without a battery starts.
    last = identity.highWater === "" ? noTime : parseStamp(identity.highWater);
    const own = counted.filter(isOwn);
    const ownLast = own.reduce((max, { stamp }) => (stamp > max ? stamp : max), "");
    if (ownLast !== "") last = witness(last, parseStamp(ownLast));
    time ??= createPhysicalTime(clock, last.ms);
    replica = createReplica(base);
    stranded = takeAll(counted);
    last = witness(last, replica.latest());
    const isBehindHole = behindHole(stranded.filter(isOwn), identity.published);
    unpublished = own.filter((datagram) => !isOut(datagram) && !isBehindHole(datagram));
    session = undefined;
    journal.onFailure(() => {
      if (session === undefined) return;
      sessionCount = durable;
      replica.untake(`${identity.node}/${session}`, durable);
    });
  };
  /**
   * Answers those that could not be taken, because what stands before them is missing. What was
   * fetched again stands behind what follows it: hence more than one round.
   */
  const takeAll = (datagrams: readonly Datagram[]): readonly Datagram[] => {
    for (let left = datagrams; ;) {
      const skipped = new Map<Dot, Datagram>();
      let isTaken = false;
      for (const datagram of left) {
        const known = lastKnown(replica.vector(), sessionKey(datagram));
        if (datagram.number > known + 1) skipped.set(dotOf(datagram), datagram);
        else isTaken = replica.take([datagram], takeOptions(datagram)).length > 0 || isTaken;
      }
      left = [...skipped.values()].filter((one) => !isCovered(replica.vector(), one));
      if (left.length === 0 || !isTaken) return left;
    }
  };
  const takeOptions = (datagram: Datagram) => ({
    nowMs: isOwn(datagram) ? undefined : time!.nowMs(),
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
    // A restored disk gets back what it had told others, and brings it to the bucket as it would have.
    onTaken: (datagrams) =>
      unpublished.push(...datagrams.filter((one) => isOwn(one) && !isOut(one))),
  });
  const nextStamp = () => {
    last = tick(witness(last, replica.latest()), time!.nowMs());
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
    unpublished: () => unpublished,
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
    told() {
      const own =
        session === undefined
          ? undefined
          : { key: `${identity.node}/${session}`, durable, last: sessionCount };
      const isAhead = last.ms > time!.nowMs() + aheadMsMax;
      const isHidden = identity.sessions.length > 0 && (!isSettled || isAhead);
      return toldOf({ replica, identity, own, unpublished: isHidden ? unpublished : [] });
    },
    settle: () => void (isSettled = true),
    published(key, number) {
      unpublished = unpublished.filter((one) => sessionKey(one) !== key || one.number > number);
    },
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
      replica.take(datagrams, { nowMs: undefined });
      await journal.append(datagrams);
      durable = commit;
      for (const datagram of datagrams) unpublished.push(datagram);
      for (const follower of followers) follower(datagrams);
      return datagrams;
    },
    receive: (datagrams) => incoming.receive(datagrams),
    standOn(base) {
      const old = replica;
      replica = createReplica(base);
      takeAll(old.since());
      replica.release(time!.nowMs());
      for (const [key, number] of old.vector()) {
        assert(lastKnown(replica.vector(), key) >= number, `${key} was lost with a checkpoint`);
      }
      unpublished = unpublished.filter((datagram) => !isCovered(base.vector, datagram));
    },
    reload: load,
    async steady(work) {
      for (;;) {
        const mine = replica;
        try {
          const value = await work(mine);
          if (value !== again) return value;
        } catch (error) {
          if (mine === replica) throw error;
        }
      }
    },
    session: mySession,
  };
}

/**
 * Whether a datagram stands behind datagrams of its session that are missing here and that were not
 * published either. Published, it would hide all that follows in its session.
 */
function behindHole(
  stranded: readonly Datagram[],
  published: NodeFile["published"],
): (datagram: Datagram) => boolean {
  const first = new Map<string, number>();
  for (const datagram of stranded) {
    const key = sessionKey(datagram);
    first.set(key, Math.min(first.get(key) ?? Infinity, datagram.number));
  }
  return (datagram) => {
    const key = sessionKey(datagram);
    const from = first.get(key);
    return from !== undefined && datagram.number >= from && from > (published[key] ?? 0) + 1;
  };
}
