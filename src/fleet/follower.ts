import { withDeadline } from "../base/with-deadline.ts";
import { type Clock, type Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { toNodeDesired, type NodeDesired } from "./assignments.ts";
import type { AppliedRevision } from "./heartbeat.ts";
import {
  joined,
  nothingDesired,
  desiredFor,
  desiredSince,
  type DesiredState,
} from "./desired-state.ts";
import { decodeHint, encodeHint } from "./desired-format.ts";

/** A source of the desired state. */
export interface DesiredSource {
  readonly name: string;
  /** How soon a change is seen, at most. */
  readonly everyMs: number;
  /** Everything that it has for this node; undefined: nothing new since the last time. */
  read(): Promise<DesiredState | undefined>;
}

export interface FollowerOptions {
  /** The node's id. It changes if the node is found to be a clone. */
  readonly node: () => string;
  readonly sources: readonly DesiredSource[];
  /** Stores the last state over restarts, so that a paused node stays paused without a network. */
  readonly memory?: DesiredMemory;
  /** Applies the desired state and describes what changed. Called again with the same state until it succeeds. */
  readonly apply: (desired: NodeDesired) => Promise<Applied>;
  /** Called when a command was applied that others wait for: send the acknowledgement now. */
  readonly onApplied?: (applied: AppliedRevision) => void;
  /** Sends peers what this node has learnt. */
  readonly publish?: (bytes: Uint8Array) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface DesiredMemory {
  read(): Promise<DesiredState | undefined>;
  write(desired: DesiredState): Promise<void>;
}

export interface Applied {
  readonly what: string;
  /** What could not be applied; the rest was. */
  readonly faults: readonly string[];
}

export interface Follower extends Service {
  /** Takes what a peer has learnt. */
  receiveHint(bytes: Uint8Array): void;
  desired(): DesiredState;
  /** Undefined if no command was ever given. */
  applied(): AppliedRevision | undefined;
}

const hintBytesMax = 1_000;
const retryMs = 60_000;
const startMsMax = 5_000;
const whatLengthMax = 300;

/**
 * Keeps a node in its desired state. Reads each source at its interval, joins the states, and
 * applies what counts for this node whenever that changes, one change at a time. A failure is
 * retried each minute. A revision is acknowledged when all of it was applied, or when it is clear
 * what could not be.
 */
export function createFollower(options: FollowerOptions): Follower {
  const { node, sources, memory, clock, random, log, publish = () => {} } = options;
  let desired: DesiredState = nothingDesired;
  let appliedText: string | undefined;
  let lastApplied: AppliedRevision | undefined;
  let hasBegun = false;
  let isStopped = false;
  let turn: Promise<void> = Promise.resolve();
  const timers = new Map<string, Timer>();
  const failing = new Set<string>();
  const inTurn = (work: () => Promise<void>): Promise<void> =>
    (turn = turn.then(async () => {
      if (!isStopped) await work();
    }));

  async function take(found: DesiredState): Promise<void> {
    const before = desired;
    desired = joined(before, found);
    if (JSON.stringify(desired) === JSON.stringify(before)) return;
    if (hasBegun && desired.revision > before.revision) {
      const news = desiredSince(desired, before.revision);
      publish(encodeHint({ ...news, since: before.revision }, hintBytesMax));
    }
    try {
      await memory?.write(desired);
    } catch (error) {
      log.warn("could not save the desired state for the next start", { error });
    }
    await follow();
  }

  async function follow(): Promise<void> {
    const entries = desiredFor(desired, node());
    const text = JSON.stringify([...entries].map(([key, { value }]) => [key, value]));
    const { revision } = desired;
    // The revision may concern another node only: then the next heartbeat is soon enough.
    const newest = Math.max(0, ...[...entries.values()].map((entry) => entry.revision));
    const isOurs = newest > (lastApplied?.revision ?? 0);
    let result: Applied = { what: lastApplied?.what ?? "nothing to do", faults: [] };
    if (text !== appliedText) {
      try {
        result = await options.apply(toNodeDesired(entries));
        appliedText = text;
      } catch (error) {
        appliedText = undefined;
        result = { what: "", faults: [error instanceof Error ? error.message : String(error)] };
      }
      if (result.faults.length > 0) appliedText = undefined;
      const details = { revision, what: result.what, faults: result.faults };
      if (result.faults.length > 0) log.error("could not apply the desired state", details);
      else log.info("applied the desired state", details);
    } else if (lastApplied && !isOurs) {
      lastApplied = { ...lastApplied, revision };
      return;
    }
    const { faults } = result;
    const isApplied = faults.length === 0;
    const what = (isApplied ? result.what : faults.join("; ")).slice(0, whatLengthMax);
    if (!isApplied) arm("again", retryMs, () => inTurn(follow));
    const isNews = lastApplied?.revision !== revision || lastApplied.what !== what;
    lastApplied = { revision, atMs: clock.nowMs(), isApplied, what };
    if (isNews) options.onApplied?.(lastApplied);
  }

  async function look(source: DesiredSource): Promise<void> {
    try {
      const found = await source.read();
      failing.delete(source.name);
      if (found) await take(found);
    } catch (error) {
      if (!failing.has(source.name)) {
        log.warn("could not read the desired state of this node", { from: source.name, error });
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
  async function lookAndRepeat(source: DesiredSource): Promise<void> {
    await inTurn(() => look(source));
    // At most the interval, with jitter, so that the nodes do not all read at once.
    const delayMs = source.everyMs * (0.9 + random.next() / 10);
    arm(source.name, delayMs, () => lookAndRepeat(source));
  }

  return {
    async start() {
      const kept = await memory?.read();
      if (kept) await inTurn(() => take(kept));
      const looks = Promise.all(sources.map((source) => lookAndRepeat(source)));
      // Apply the desired state before work begins, but do not wait long for a network that is
      // down.
      await withDeadline(looks, { clock, ms: startMsMax });
      hasBegun = true;
    },
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) timer.cancel();
      await turn;
    },
    receiveHint(bytes) {
      const hint = decodeHint(bytes);
      if (!hint || hint.revision <= desired.revision) return;
      void inTurn(async () => {
        // Use a complete hint. If entries before it are missing, read all sources instead.
        if (hint.since <= desired.revision && Object.keys(hint.scopes).length > 0) {
          return take(hint);
        }
        for (const source of sources) await look(source);
      });
    },
    desired: () => desired,
    applied: () => lastApplied,
  };
}
