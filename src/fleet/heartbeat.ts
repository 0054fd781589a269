import * as z from "zod";

/** What came from elsewhere and is shown to people: one line, which no terminal obeys. */
export function toPlain(said: string): string {
  return said.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ");
}

/**
 * What a node says of itself to its fleet, once a minute: by gossip, and in its head in the bucket.
 * Ephemeral: the next one takes its place. It holds no secret and no path. What comes from another
 * node is a hint for people: nothing rests on it being right.
 */
const text = (lengthMax: number) => z.string().max(lengthMax).transform(toPlain);
const count = z.int().min(0);
const size = z.object({ total: count, free: count });

const schema = z.object({
  /** By the node's own clock. */
  atMs: count,
  /** The host's name. */
  label: text(100),
  version: text(50),
  /** What the node is set to do; idle: it has no workers; stopped: its last word. */
  state: z.enum(["working", "paused", "drained", "idle", "stopped"]),
  /** A fingerprint of the settings that a fleet should have in common. */
  config: text(40).optional(),
  load1: z.number().min(0),
  memoryBytes: size,
  /** Of the volume that holds the data. */
  diskBytes: size.optional(),
  /** Of the hottest part that the system tells of. */
  temperatureC: z.number().optional(),
  /** By kind: how many tasks may be at work at once, and how many are. */
  kinds: z.record(text(100), z.tuple([count, count])),
  /** The node's wall clock minus the bucket's, where it was measured. */
  clockOffsetMs: z.number().optional(),
  peers: count,
  /** What is the matter, in words. */
  alerts: z.array(text(200)).max(20),
  /** The last revision of the desired state that the node applied, and the result. */
  followed: z
    .object({ revision: count, atMs: count, isApplied: z.boolean(), what: text(300) })
    .optional(),
  /** Whether it can be the hub, and why not. Absent: it has no bucket, or an older version. */
  hub: z
    .object({
      state: z.enum(["able", "unable", "never", "unknown"]),
      why: text(300).optional(),
    })
    .optional(),
  /** What it knows: its checkpoint, and by `node/session` the last number beyond that. */
  knows: z.object({ checkpoint: count, beyond: z.record(text(60), count) }).optional(),
});

export type NodeHeartbeat = Readonly<z.output<typeof schema>>;
export type AppliedRevision = NonNullable<NodeHeartbeat["followed"]>;

/** It goes into one packet, beside what the packet itself needs. */
export const heartbeatBytesMax = 1_000;
/** Of the vector in a head: a fleet with more sessions than that since its checkpoint needs a hub. */
const beyondMax = 500;

/** Undefined: it is none, or of a version to come. */
export function parseHeartbeat(value: unknown): NodeHeartbeat | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export function decodeHeartbeat(bytes: Uint8Array): NodeHeartbeat | undefined {
  try {
    return parseHeartbeat(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return undefined;
  }
}

/** For a packet: what a peer learns otherwise, and what is long, is left out until it fits. */
export function encodeHeartbeat({ knows: _told, ...beat }: NodeHeartbeat): Uint8Array {
  const { followed } = beat;
  const short = {
    ...(followed && { followed: { ...followed, what: followed.what.slice(0, 80) } }),
    ...(beat.hub && { hub: { state: beat.hub.state } }),
  };
  const forms: readonly Partial<NodeHeartbeat>[] = [
    beat,
    { ...beat, ...short, alerts: beat.alerts.slice(0, 3).map((one) => one.slice(0, 80)) },
    {
      ...beat,
      ...short,
      alerts: beat.alerts.slice(0, 1).map((one) => one.slice(0, 80)),
      kinds: {},
    },
  ];
  for (const form of forms) {
    const bytes = Buffer.from(JSON.stringify(form));
    if (bytes.byteLength <= heartbeatBytesMax) return bytes;
  }
  const { atMs, version, state, load1, memoryBytes, peers } = beat;
  const least = { atMs, version, state, load1, memoryBytes, peers, label: "", alerts: [] };
  return Buffer.from(JSON.stringify({ ...least, kinds: {} }));
}

/** For a head: whole, but for a vector that grew beyond all measure. */
export function headHeartbeat(beat: NodeHeartbeat): Readonly<Record<string, unknown>> {
  const { knows, ...rest } = beat;
  return knows && Object.keys(knows.beyond).length <= beyondMax ? beat : rest;
}
