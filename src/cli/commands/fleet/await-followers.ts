import { sleep, type Clock } from "../../../base/clock.ts";
import { isPresent, type AppliedRevision, type NodeSeen } from "../../../fleet/index.ts";

export interface Acknowledgement {
  readonly node: string;
  readonly label: string;
  /**
   * absent: the node was not online when the command was given; it applies the command when it
   * returns.
   */
  readonly status: "followed" | "failed" | "silent" | "absent";
  /** From the command to the acknowledgement, by the local clock. */
  readonly afterMs: number | undefined;
  /** The time of the acknowledgement by the node's clock. */
  readonly atMs: number | undefined;
  readonly what: string;
}

export interface AwaitOptions {
  readonly revision: number;
  readonly nodes: readonly NodeSeen[];
  readonly timeoutMs: number;
  /** Reads the data folder of this machine; costs no requests. */
  readonly lookNear: () => Promise<ReadonlyMap<string, AppliedRevision | undefined>>;
  /** Reads the state of these nodes from the bucket; undefined if there is no bucket. */
  readonly lookFar:
    | ((nodes: readonly string[]) => Promise<ReadonlyMap<string, AppliedRevision | undefined>>)
    | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const nearMs = 100;
const farMs = 1_000;

/** Waits until each online node has acknowledged, or until the timeout. */
export async function awaitFollowers(options: AwaitOptions): Promise<readonly Acknowledgement[]> {
  const { revision, nodes, timeoutMs, lookNear, lookFar, clock, signal } = options;
  const startMs = clock.monotonicMs();
  const acknowledged = new Map<string, Acknowledgement>();
  const nowMs = clock.nowMs();
  const waiting = new Map(
    nodes.filter((node) => isPresent(node, nowMs)).map((node) => [node.node, node]),
  );
  const take = (found: ReadonlyMap<string, AppliedRevision | undefined>) => {
    for (const [node, followed] of found) {
      const seen = waiting.get(node);
      if (!seen || !followed || followed.revision < revision) continue;
      waiting.delete(node);
      acknowledged.set(node, {
        node,
        label: seen.label,
        status: followed.isApplied ? "followed" : "failed",
        afterMs: Math.round(clock.monotonicMs() - startMs),
        atMs: followed.atMs,
        what: followed.what,
      });
    }
  };
  for (let lookedMs = startMs; waiting.size > 0;) {
    take(await lookNear());
    const passedMs = clock.monotonicMs() - startMs;
    if (waiting.size === 0 || passedMs >= timeoutMs) break;
    if (lookFar && clock.monotonicMs() - lookedMs >= farMs) {
      take(await lookFar([...waiting.keys()]));
      lookedMs = clock.monotonicMs();
    }
    await sleep(clock, nearMs, signal);
  }
  return nodes.map((seen): Acknowledgement => {
    const { node, label } = seen;
    const found = acknowledged.get(node);
    if (found) return found;
    const nothing = { node, label, afterMs: undefined, atMs: undefined };
    return waiting.has(node)
      ? { ...nothing, status: "silent", what: "no acknowledgement in time" }
      : { ...nothing, status: "absent", what: "applies it when it is online again" };
  });
}
