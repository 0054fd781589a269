import { AppError } from "../../base/app-error.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { lastKnown, sessionKey } from "../fold/vector.ts";
import type { Journal } from "../journal/journal.ts";
import type { Replica } from "./replica.ts";

/** Writes datagrams of other nodes to the disk, from gossip or from the bucket. */
export interface Incoming {
  /**
   * Takes whole commits, in the order of each session. Resolves with the new datagrams, which are
   * then durable and folded; known ones are skipped. Throws `ledger_gap` if earlier numbers are
   * missing; then nothing is kept.
   */
  receive(datagrams: readonly Datagram[]): Promise<readonly Datagram[]>;
}

export interface IncomingOptions {
  readonly journal: () => Journal;
  readonly replica: () => Replica;
  readonly nowMs: () => number;
}

interface Waiting {
  readonly datagrams: readonly Datagram[];
  readonly resolve: (taken: readonly Datagram[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that arrive during a write wait and are then written together. So a thousand calls a second
 * share a few syncs of the disk, and a datagram that comes by gossip and by the bucket at once is
 * written once.
 */
export function createIncoming(options: IncomingOptions): Incoming {
  const { journal, replica, nowMs } = options;
  let waiting: Waiting[] = [];
  let isRunning = false;

  const takeGroup = async (group: readonly Waiting[]) => {
    const fresh = freshOf(group, replica());
    const all = [...fresh.values()].flat();
    if (all.length > 0) {
      await journal().append(all);
      replica().take(all, { nowMs: nowMs() });
    }
    for (const [entry, some] of fresh) entry.resolve(some);
  };
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await takeGroup(group).catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      });
    }
    isRunning = false;
  };

  return {
    receive: (datagrams) =>
      new Promise((resolve, reject) => {
        waiting.push({ datagrams, resolve, reject });
        if (!isRunning) void run();
      }),
  };
}

/** The new datagrams of each call. A call with a gap fails alone. */
function freshOf(group: readonly Waiting[], replica: Replica) {
  const reached = new Map<string, number>();
  const fresh = new Map<Waiting, readonly Datagram[]>();
  for (const entry of group) {
    const mine: Datagram[] = [];
    const next = new Map<string, number>();
    const gap = entry.datagrams.find((datagram) => {
      const key = sessionKey(datagram);
      const known = next.get(key) ?? reached.get(key) ?? lastKnown(replica.vector(), key);
      if (datagram.number <= known) return false;
      if (datagram.number > known + 1) return true;
      next.set(key, datagram.number);
      mine.push(datagram);
      return false;
    });
    if (gap) {
      entry.reject(gapBefore(gap));
      continue;
    }
    for (const [key, number] of next) reached.set(key, number);
    fresh.set(entry, mine);
  }
  return fresh;
}

const gapBefore = (datagram: Datagram) =>
  new AppError(
    "corrupt",
    "ledger_gap",
    `${sessionKey(datagram)} has a gap before datagram ${datagram.number}: those before it come first`,
  );
