import type { NodeHeartbeat } from "./heartbeat.ts";
import type { DesiredState } from "./desired-state.ts";

/** What a running node knows of itself and of its peers. A JSON value. */
export interface NodeView {
  readonly node: string;
  readonly pid: number;
  readonly atMs: number;
  readonly beat: NodeHeartbeat;
  readonly desired: DesiredState;
  readonly peers: readonly PeerSeen[];
  /** Absent: it is off. */
  readonly gossip?: GossipSeen | undefined;
}

/** What gossip has counted since it began; why something was dropped is told in docs/gossip.md. */
export interface GossipSeen {
  readonly packetsIn: number;
  readonly packetsOut: number;
  readonly droppedByReason: Readonly<Record<string, number>>;
}

/** As gossip tells it, with the last heartbeat that was heard. */
export interface PeerSeen {
  readonly node: string;
  readonly session: string;
  readonly address: string;
  /** How it was found: mdns, static, bucket, told by another peer, or it spoke first. */
  readonly how: string;
  readonly lastHeardMs: number;
  readonly rttMs: number | undefined;
  /** By `node/session`: the last number that it has, as it told. */
  readonly vector: Readonly<Record<string, number>>;
  readonly beat: NodeHeartbeat | undefined;
}
