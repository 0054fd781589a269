/** Why a packet, or a part of it, was dropped. */
export const dropReasons = [
  "oversize", //        larger than any packet of ours
  "version", //         of another version of this format
  "cluster", //         of another fleet
  "unauthenticated", // its sender does not have a key
  "replayed", //        received before, or too old to tell
  "own", //             it came back to its sender
  "malformed", //       its header or its body is invalid
  "stranger", //        of a session that has not yet proved that it receives our packets
  "limited", //         more than its sender may ask for
  "refused", //         records that the replica refused
  "failed", //          records that the replica could not store now
  "overflow", //        records that came too early, beyond the limit of waiting ones
] as const;
export type DropReason = (typeof dropReasons)[number];

export interface GossipCounters {
  readonly packetsIn: number;
  readonly packetsOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Packets that the system refused to send. */
  readonly sendErrors: number;
  readonly droppedByReason: Readonly<Record<DropReason, number>>;
  /** Records of others that were new here, and records that were known already. */
  readonly recordsNew: number;
  readonly recordsKnown: number;
  /** Records of this node that were sent as they were written. */
  readonly recordsPushed: number;
  /** Records of others that were forwarded. */
  readonly recordsRelayed: number;
  /** Requests sent for missing records, and requests received. */
  readonly asksOut: number;
  readonly asksIn: number;
  readonly recordsAnswered: number;
  readonly pulls: number;
  readonly pullsFailed: number;
  readonly pullsAnswered: number;
  /** Records that no peer holds any more: they come by the bucket. */
  readonly leftToBucket: number;
  readonly peersMet: number;
  readonly peersForgotten: number;
  readonly digestsEqual: number;
  readonly digestsDiffering: number;
  /**
   * Current values: records that wait for their predecessors, origins that are requested, known
   * addresses.
   */
  readonly waitingRecords: number;
  readonly waitingBytes: number;
  readonly wanted: number;
  readonly contacts: number;
}

type Now = "sendErrors" | "waitingRecords" | "waitingBytes" | "wanted" | "contacts";
type Plain = Exclude<keyof GossipCounters, "droppedByReason" | Now>;

export interface Counting {
  add(name: Plain, count?: number): void;
  /** Counts a drop. Always returns undefined. */
  drop(reason: DropReason, count?: number): undefined;
  read(now: Pick<GossipCounters, Now>): GossipCounters;
}

export function createCounting(): Counting {
  const counts: Record<Plain, number> = {
    packetsIn: 0,
    packetsOut: 0,
    bytesIn: 0,
    bytesOut: 0,
    recordsNew: 0,
    recordsKnown: 0,
    recordsPushed: 0,
    recordsRelayed: 0,
    asksOut: 0,
    asksIn: 0,
    recordsAnswered: 0,
    pulls: 0,
    pullsFailed: 0,
    pullsAnswered: 0,
    leftToBucket: 0,
    peersMet: 0,
    peersForgotten: 0,
    digestsEqual: 0,
    digestsDiffering: 0,
  };
  const dropped = Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<
    DropReason,
    number
  >;
  return {
    add: (name, count = 1) => void (counts[name] += count),
    drop(reason, count = 1) {
      dropped[reason] += count;
      return undefined;
    },
    read: (now) => ({ ...counts, ...now, droppedByReason: { ...dropped } }),
  };
}
