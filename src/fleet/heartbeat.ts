import * as z from "zod";

/** Text from another node, made safe to show: one line without control or direction characters. */
export function toPlain(shown: string): string {
  return shown.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ");
}

/**
 * What a node reports about itself to its fleet, once a minute: by gossip, and in its head in the
 * bucket. Ephemeral: the next heartbeat replaces it. It contains no secret and no path. A heartbeat
 * of another node is a hint for people; nothing depends on it being right.
 */
const text = (lengthMax: number) => z.string().max(lengthMax).transform(toPlain);
const count = z.int().min(0);
const size = z.object({ total: count, free: count });

const schema = z.object({
  /** By the node's own clock. */
  atMs: count,
  /** The name of the host. */
  label: text(100),
  version: text(50),
  /** The node's mode; idle: it has no workers; stopped: its last heartbeat. */
  state: z.enum(["working", "paused", "drained", "idle", "stopped"]),
  /** A fingerprint of the settings that a fleet should have in common. */
  config: text(40).optional(),
  load1: z.number().min(0),
  memoryBytes: size,
  /** Of the volume that holds the data. */
  diskBytes: size.optional(),
  /** Of the hottest sensor. */
  temperatureC: z.number().optional(),
  /** By kind: how many tasks may run at once, and how many run. */
  kinds: z.record(text(100), z.tuple([count, count])),
  /** The node's wall clock minus the bucket's clock, if measured. */
  clockOffsetMs: z.number().optional(),
  peers: count,
  /** Current problems, in words. */
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

/** It must fit into one packet, beside the packet's own data. */
export const heartbeatBytesMax = 1_000;
/**
 * The most sessions in the vector in a head. A fleet with more since its checkpoint needs a hub.
 */
const beyondMax = 500;

/** Returns undefined if the value is not a heartbeat, or is one of a later version. */
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

/** For a packet: leaves out what peers learn otherwise, then long parts, until it fits. */
export function encodeHeartbeat({ knows: _knows, ...heartbeat }: NodeHeartbeat): Uint8Array {
  const { followed } = heartbeat;
  const short = {
    ...(followed && { followed: { ...followed, what: followed.what.slice(0, 80) } }),
    ...(heartbeat.hub && { hub: { state: heartbeat.hub.state } }),
  };
  const forms: readonly Partial<NodeHeartbeat>[] = [
    heartbeat,
    { ...heartbeat, ...short, alerts: heartbeat.alerts.slice(0, 3).map((one) => one.slice(0, 80)) },
    {
      ...heartbeat,
      ...short,
      alerts: heartbeat.alerts.slice(0, 1).map((one) => one.slice(0, 80)),
      kinds: {},
    },
  ];
  for (const form of forms) {
    const bytes = Buffer.from(JSON.stringify(form));
    if (bytes.byteLength <= heartbeatBytesMax) return bytes;
  }
  const { atMs, version, state, load1, memoryBytes, peers } = heartbeat;
  const least = { atMs, version, state, load1, memoryBytes, peers, label: "", alerts: [] };
  return Buffer.from(JSON.stringify({ ...least, kinds: {} }));
}

/** For a head: complete, but without a vector that is too long. */
export function headHeartbeat(heartbeat: NodeHeartbeat): Readonly<Record<string, unknown>> {
  const { knows, ...rest } = heartbeat;
  return knows && Object.keys(knows.beyond).length <= beyondMax ? heartbeat : rest;
}
