import type { GossipNode } from "./gossip-fleet.ts";
import type { GossipWorld } from "./gossip-simulate.ts";
import { Violation } from "./lease-run.ts";

/** What the good nodes have written in all, by origin. */
function allWritten(nodes: readonly GossipNode[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { disk } of nodes) {
    for (const [origin, number] of disk.vector()) {
      all.set(origin, Math.max(number, all.get(origin) ?? 0));
    }
  }
  return all;
}

export function isConverged(nodes: readonly GossipNode[]): boolean {
  return missingCount(nodes) === 0;
}

/** How many records are still to be brought to somebody. */
export function missingCount(nodes: readonly GossipNode[]): number {
  const all = allWritten(nodes);
  let missing = 0;
  for (const { disk } of nodes) {
    for (const [origin, number] of all) missing += number - (disk.vector().get(origin) ?? 0);
  }
  return missing;
}

/** G1: all have all, byte for byte; G2: once; G5: a stranger gives and gets nothing. */
export function checkAll(nodes: readonly GossipNode[], stranger: GossipNode): void {
  const missing = missingCount(nodes);
  if (missing > 0) throw new Violation(`G1: ${missing} records were not brought to all`);
  const written = new Set(nodes.flatMap((node) => [...node.written]));
  for (const { name, disk } of nodes) {
    const stored = new Set(disk.stored);
    if (stored.size !== disk.stored.length) throw new Violation(`G2: ${name} stored twice`);
    for (const dot of stored) {
      if (!written.has(dot)) throw new Violation(`G5: ${name} has ${dot}, which nobody wrote`);
    }
    for (const dot of written) {
      if (!stored.has(dot)) throw new Violation(`G1: ${name} has not ${dot}`);
      const [node, session, number] = dot.split("/");
      const origin = `${node}/${session}`;
      const author = nodes.find((one) => one.name === node)!;
      const mine = disk.records(origin)[Number(number) - 1]!;
      const theirs = author.disk.records(origin)[Number(number) - 1]!;
      if (Buffer.compare(mine, theirs) !== 0) throw new Violation(`G1: ${name} has another ${dot}`);
    }
  }
  for (const dot of stranger.disk.stored) {
    if (!stranger.written.has(dot)) throw new Violation(`G5: the stranger got ${dot}`);
  }
}

/** What a node may send each second when nothing is new: a digest, its echo, and greetings. */
const idlePerNodeS = 5;
/** What one missing record may cost: several share a packet, and some are lost. */
const packetsPerRecord = 2;

/** G4: what a parted fleet sends once it is joined follows from what was missing. */
export function checkWork(
  { nodes, network, scheduler }: GossipWorld,
  before: { readonly missing: number; readonly sent: number; readonly atMs: number },
): void {
  const seconds = (scheduler.nowMs() - before.atMs) / 1_000 + 1;
  const sent = network.sent() - before.sent;
  const allowed =
    nodes.length * (nodes.length + seconds * 2 * idlePerNodeS) + before.missing * packetsPerRecord;
  if (sent > allowed) {
    throw new Violation(
      `G4: ${sent} packets to bring ${before.missing} records; ${allowed} allowed`,
    );
  }
}

/** What it may take to bring one record to one node, whatever happens meanwhile: less than 3 as a rule. */
const packetsPerDelivery = 5;

/** G4: at any time, what was sent follows from what was written. */
export function checkSent({ nodes, network, scheduler, records }: GossipWorld): void {
  const seconds = scheduler.nowMs() / 1_000 + 1;
  const idle = nodes.length * (nodes.length + seconds * 2 * idlePerNodeS);
  const allowed = idle + (records + nodes.length) * nodes.length * packetsPerDelivery;
  if (network.sent() > allowed) {
    throw new Violation(`G4: ${network.sent()} packets for ${records} records; ${allowed} allowed`);
  }
}

/** G4: then there is quiet. */
export function checkQuiet(
  nodes: readonly GossipNode[],
  { sent, ms }: { readonly sent: number; readonly ms: number },
): void {
  const allowed = (nodes.length + 1) * idlePerNodeS * (ms / 1_000);
  if (sent > allowed) throw new Violation(`G4: ${sent} packets in ${ms} ms of rest`);
}
