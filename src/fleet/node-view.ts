import type { NodeHeartbeat } from "./heartbeat.ts";
import type { DesiredState } from "./desired-state.ts";

/** What a running node knows about itself and its peers. A JSON value. */
export interface NodeView {
  readonly node: string;
  readonly pid: number;
  readonly atMs: number;
  readonly heartbeat: NodeHeartbeat;
  readonly desired: DesiredState;
  readonly peers: readonly PeerSeen[];
  /** Absent: gossip is off. */
  readonly gossip?: GossipSeen | undefined;
}

/** The counters of gossip since its start; docs/gossip.md describes the reasons for drops. */
export interface GossipSeen {
  readonly packetsIn: number;
  readonly packetsOut: number;
  readonly droppedByReason: Readonly<Record<string, number>>;
}

/** A peer according to gossip, with its last heartbeat. */
export interface PeerSeen {
  readonly node: string;
  readonly session: string;
  readonly address: string;
  /**
   * How it was found: mdns, static, bucket, told (advertised by another peer), or heard (it sent
   * the first packet).
   */
  readonly how: string;
  readonly lastHeardMs: number;
  readonly rttMs: number | undefined;
  /** By `node/session`: the last number that it has, according to its messages. */
  readonly vector: Readonly<Record<string, number>>;
  readonly heartbeat: NodeHeartbeat | undefined;
}
