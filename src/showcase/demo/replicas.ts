import { openLedgerReader } from "../../app/index.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Paths } from "../../config/index.ts";
import { nodeNames } from "./demo-fleet.ts";

/** The data on the disk of a node. */
export interface ReplicaCount {
  readonly name: string;
  readonly node: string;
  /** Datagrams: its own, and all. */
  readonly wrote: number;
  readonly knows: number;
  readonly digest: string;
}

/**
 * Read from the folders after all processes have ended: what a disk has, not what a process
 * reports.
 */
export async function readReplicas(
  folders: readonly Paths[],
  log: Logger,
): Promise<readonly ReplicaCount[]> {
  const replicas: ReplicaCount[] = [];
  for (const [at, paths] of folders.entries()) {
    await using ledger = await openLedgerReader({ paths, log });
    const node = ledger.node();
    const counts = [...ledger.vector()];
    const sum = (of: typeof counts) => of.reduce((all, [, number]) => all + number, 0);
    replicas.push({
      name: nodeNames[at]!,
      node,
      wrote: sum(counts.filter(([origin]) => origin.startsWith(`${node}/`))),
      knows: sum(counts),
      digest: await ledger.digest(),
    });
  }
  return replicas;
}
