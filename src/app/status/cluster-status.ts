import type { Problem } from "./attention.ts";
import type { NodeHeartbeat, Drift, GossipSeen, Lack } from "../../fleet/index.ts";
import type { LedgerStatus } from "../../ledger/index.ts";
import type { LogStats, QueueStats } from "../../queue/index.ts";
import type { GossipKeySource } from "../node/gossip-key-source.ts";

/**
 * The state of this node and its fleet, as `forager status --json` prints it. JSON-safe: plain
 * objects, arrays, texts, numbers, booleans and null.
 */
export interface ClusterStatus {
  readonly atMs: number;
  readonly ledger: Omit<LedgerStatus, "cuts"> & {
    readonly cuts: number;
    readonly conflicts: number;
  };
  readonly nodes: readonly NodeStatus[];
  /** null: there never was a hub, or there is no bucket. */
  readonly hub: HubStatus | null;
  /**
   * The reason why nobody does the hub's work; null if somebody does, nothing has to be done, or it
   * was not checked.
   */
  readonly hubGap: HubGap | null;
  readonly checkpoint: CheckpointStatus | null;
  /** null: there is none yet, or it cannot be reached; in that case `attention` says so. */
  readonly queue: QueueStatus | null;
  /** The gossip of the node that runs here; null: none runs, or gossip is off. */
  readonly gossip: GossipSeen | null;
  /** Which key gossip uses according to the reader's settings, or that gossip is off. */
  readonly gossipKey: GossipKeySource;
  /** What needs attention; empty if everything is in order. */
  readonly attention: readonly string[];
  /** The problems that have a page in the runbook. */
  readonly problems: readonly Problem[];
}

export interface NodeStatus {
  readonly node: string;
  readonly label: string;
  readonly isSelf: boolean;
  /** null: it was never seen. */
  readonly lastSeenMs: number | null;
  readonly agoMs: number | null;
  readonly isPresent: boolean;
  readonly session: string | null;
  readonly addresses: readonly string[];
  readonly how: string;
  readonly rttMs: number | null;
  /** Its last heartbeat; null: none was seen. The API and `--json` call it `beat`. */
  readonly beat: NodeHeartbeat | null;
  /** null: this node itself, or not known. */
  readonly drift: Drift | null;
  /** Changes of other nodes that this node lacks; null if it does not report what it has. */
  readonly lacks: readonly Lack[] | null;
}

export interface HubStatus {
  readonly node: string;
  readonly epoch: number;
  readonly state: string;
  readonly ageMs: number;
}

export interface HubGap {
  /** `no_rights`: no online node can be the hub, because of its rights or its settings. */
  readonly code: "none_for_a_day" | "no_rights";
  readonly text: string;
}

export interface CheckpointStatus {
  readonly number: number;
  readonly madeAtMs: number;
  readonly ageMs: number;
  readonly quarantined: number;
}

export type QueueStatus = Pick<QueueStats, "states" | "reasons" | "kinds"> & {
  readonly address: string;
  /** Finished tasks whose row was removed, and their keys. */
  readonly log: LogStats;
  /** From this node's settings. */
  readonly keep: {
    readonly doneDays: number;
    readonly failedDays: number;
    readonly keysDays: number;
  };
};
