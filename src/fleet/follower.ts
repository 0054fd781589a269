import { sleep, type Clock, type Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { toNodeWanted, type NodeWanted } from "./assignments.ts";
import type { Followed } from "./beat.ts";
import { joined, nothingWanted, wantedOf, wantedSince, type Wanted } from "./wanted.ts";
import { decodeHint, encodeHint } from "./wanted-format.ts";

/** One way by which it is learnt what is wanted. */
export interface WantedSource {
  readonly name: string;
  /** At most so long until a change is seen. */
  readonly everyMs: number;
  /** All that it has for this node; undefined: nothing new since the last time. */
  read(): Promise<Wanted | undefined>;
}

export interface FollowerOptions {
  /** Another one once this node was found to be a clone. */
  readonly node: () => string;
  readonly sources: readonly WantedSource[];
  /** Where the last state is kept over restarts: what was paused stays paused without a network. */
  readonly memory?: WantedMemory;
  /** Does what is wanted, and says what that was. Called again with the same until it succeeds. */
  readonly apply: (wanted: NodeWanted) => Promise<Applied>;
  /** Something that others wait for: the acknowledgement should go out now. */
  readonly onFollowed?: (followed: Followed) => void;
  /** Tells peers what this node has learnt. */
  readonly say?: (bytes: Uint8Array) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface WantedMemory {
  read(): Promise<Wanted | undefined>;
  write(wanted: Wanted): Promise<void>;
}

export interface Applied {
  readonly what: string;
  /** What could not be done; the rest was. */
  readonly faults: readonly string[];
}

export interface Follower extends Service {
  /** A peer says what it has learnt. */
  hear(bytes: Uint8Array): void;
  wanted(): Wanted;
  /** Undefined: nothing was ever wanted. */
  followed(): Followed | undefined;
}

const hintBytesMax = 1_000;
const retryMs = 60_000;
const startMsMax = 5_000;
const whatLengthMax = 300;

/**
 * Keeps a node in line with what is wanted of it. Looks at each source in its own time, joins what
 * they say, and applies what counts for this node whenever that changes, one change after the
 * other. What failed is tried again each minute. A revision is acknowledged when all of it was
 * applied, or when it is clear what was not.
 */
export function createFollower(options: FollowerOptions): Follower {
  const { node, sources, memory, clock, random, log, say = () => {} } = options;
  let wanted: Wanted = nothingWanted;
  let applied: string | undefined;
  let followed: Followed | undefined;
  let hasBegun = false;
  let isStopped = false;
  let turn: Promise<void> = Promise.resolve();
  const timers = new Map<string, Timer>();
  const failing = new Set<string>();
  const inTurn = (work: () => Promise<void>): Promise<void> =>
    (turn = turn.then(async () => {
      if (!isStopped) await work();
    }));

  async function take(found: Wanted): Promise<void> {
    const before = wanted;
    wanted = joined(before, found);
    if (JSON.stringify(wanted) === JSON.stringify(before)) return;
    if (hasBegun && wanted.revision > before.revision) {
      const news = wantedSince(wanted, before.revision);
      say(encodeHint({ ...news, since: before.revision }, hintBytesMax));
    }
    try {
      await memory?.write(wanted);
    } catch (error) {
      log.warn("what is wanted of this node could not be kept for its next start", { error });
    }
    await follow();
  }

  async function follow(): Promise<void> {
    const entries = wantedOf(wanted, node());
    const text = JSON.stringify([...entries].map(([key, { value }]) => [key, value]));
    const { revision } = wanted;
    // The revision may be another node's matter: then the next heartbeat is soon enough.
    const newest = Math.max(0, ...[...entries.values()].map((entry) => entry.revision));
    const isOurs = newest > (followed?.revision ?? 0);
    let result: Applied = { what: followed?.what ?? "nothing to do", faults: [] };
    if (text !== applied) {
      try {
        result = await options.apply(toNodeWanted(entries));
        applied = text;
      } catch (error) {
        applied = undefined;
        result = { what: "", faults: [error instanceof Error ? error.message : String(error)] };
      }
      if (result.faults.length > 0) applied = undefined;
      const told = { revision, what: result.what, faults: result.faults };
      if (result.faults.length > 0) log.error("what is wanted could not be followed", told);
      else log.info("what is wanted is followed", told);
    } else if (followed && !isOurs) {
      followed = { ...followed, revision };
      return;
    }
    const { faults } = result;
    const isApplied = faults.length === 0;
    const what = (isApplied ? result.what : faults.join("; ")).slice(0, whatLengthMax);
    if (!isApplied) arm("again", retryMs, () => inTurn(follow));
    const isNews = followed?.revision !== revision || followed.what !== what;
    followed = { revision, atMs: clock.nowMs(), isApplied, what };
    if (isNews) options.onFollowed?.(followed);
  }

  async function look(source: WantedSource): Promise<void> {
    try {
      const found = await source.read();
      failing.delete(source.name);
      if (found) await take(found);
    } catch (error) {
      if (!failing.has(source.name)) {
        log.warn("it cannot be seen what is wanted of this node", { from: source.name, error });
      }
      failing.add(source.name);
    }
  }
  function arm(name: string, delayMs: number, run: () => Promise<void>): void {
    timers.get(name)?.cancel();
    if (isStopped) return;
    const timer = clock.setTimer(delayMs, () => void run(), { background: true });
    timers.set(name, timer);
  }
  async function lookAndRepeat(source: WantedSource): Promise<void> {
    await inTurn(() => look(source));
    // Never later than it says, and not all nodes at once.
    const delayMs = source.everyMs * (0.9 + random.next() / 10);
    arm(source.name, delayMs, () => lookAndRepeat(source));
  }

  return {
    async start() {
      const kept = await memory?.read();
      if (kept) await inTurn(() => take(kept));
      const looks = Promise.all(sources.map((source) => lookAndRepeat(source)));
      // What is wanted counts before work begins, but a network that is down keeps nobody waiting.
      const waited = new AbortController();
      await Promise.race([looks, sleep(clock, startMsMax, waited.signal).catch(() => {})]);
      waited.abort();
      hasBegun = true;
    },
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) timer.cancel();
      await turn;
    },
    hear(bytes) {
      const hint = decodeHint(bytes);
      if (!hint || hint.revision <= wanted.revision) return;
      void inTurn(async () => {
        // Whole, unless something in between is missing: then each source is asked for all of it.
        if (hint.since <= wanted.revision && Object.keys(hint.scopes).length > 0) {
          return take(hint);
        }
        for (const source of sources) await look(source);
      });
    },
    wanted: () => wanted,
    followed: () => followed,
  };
}
