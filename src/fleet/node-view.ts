import { z } from "zod";
import { parseBeat, type Beat } from "./beat.ts";
import { parseWanted } from "./wanted-format.ts";
import type { Wanted } from "./wanted.ts";

/** What a running node knows of itself and of its peers, for other processes of its machine. */
export interface NodeView {
  readonly node: string;
  readonly pid: number;
  readonly atMs: number;
  readonly beat: Beat;
  readonly wanted: Wanted;
  readonly peers: readonly PeerSeen[];
  /** Absent: it is off, or another process of the node has it. */
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
  readonly vector: ReadonlyMap<string, number>;
  readonly beat: Beat | undefined;
}

const peer = z.object({
  node: z.string(),
  session: z.string(),
  address: z.string(),
  how: z.string(),
  lastHeardMs: z.number(),
  rttMs: z.number().optional(),
  vector: z.record(z.string(), z.number()),
  beat: z.unknown().optional(),
});
const schema = z.object({
  node: z.string(),
  pid: z.number(),
  atMs: z.number(),
  beat: z.unknown(),
  wanted: z.unknown(),
  peers: z.array(peer),
  gossip: z
    .looseObject({
      packetsIn: z.number(),
      packetsOut: z.number(),
      droppedByReason: z.record(z.string(), z.number()),
    })
    .optional(),
});

export const encodeNodeView = (view: NodeView): string =>
  JSON.stringify({
    ...view,
    peers: view.peers.map((one) => ({ ...one, vector: Object.fromEntries(one.vector) })),
  });

/** Undefined: it is none, or of another version. */
export function decodeNodeView(text: string): NodeView | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return undefined;
  const { node, pid, atMs, peers, gossip } = parsed.data;
  const [beat, wanted] = [parseBeat(parsed.data.beat), parseWanted(parsed.data.wanted)];
  if (!beat || !wanted) return undefined;
  return {
    node,
    pid,
    atMs,
    beat,
    wanted,
    ...(gossip && { gossip }),
    peers: peers.map(({ rttMs, ...one }) => ({
      ...one,
      rttMs,
      vector: new Map(Object.entries(one.vector)),
      beat: parseBeat(one.beat),
    })),
  };
}
