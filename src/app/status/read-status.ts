import { readVersion } from "../../base/version.ts";
import { readConflicts, type NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { openFleet } from "../node/open-fleet.ts";
import { openNodeReader } from "../node/open-node-reader.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import { gatherStatus, type StatusOptions } from "./gather-status.ts";
import { createRecordTroubles } from "./record-troubles.ts";
import { createOpenQueueSource, createQueueSource } from "./queue-source.ts";

/** Reads the status repeatedly, and keeps open what that needs. */
export interface StatusReader extends AsyncDisposable {
  read(): Promise<ClusterStatus>;
}

/** Reads the status of this node, or of its fleet. Changes nothing. */
export async function readStatus(options: StatusOptions): Promise<ClusterStatus> {
  await using reader = await openStatusReader(options);
  return await reader.read(); // before it is closed
}

export interface StatusReaderOptions extends StatusOptions {
  /** The queue of a process that has it open; it is not closed with the reader. */
  readonly openQueue?: () => Promise<Queue>;
}

export async function openStatusReader(options: StatusReaderOptions): Promise<StatusReader> {
  const { paths, log, openQueue } = options;
  const queue = openQueue ? createOpenQueueSource(openQueue, options) : createQueueSource(options);
  const fleet = await openFleet({ ...options, isReader: true });
  const conflictCount = createConflictCount();
  const recordTroubles = createRecordTroubles();
  const readFrom = async (node: Pick<NodeReadApi, "ledger" | "records" | "fleet">) => {
    const conflicts = await conflictCount.of(node.ledger);
    const ofRecords = await recordTroubles.of({ ...options, node });
    return await gatherStatus({ ...options, fleet, node, queue, conflicts, ofRecords });
  };
  return {
    async read() {
      if (options.node) return await readFrom(options.node);
      const version = readVersion();
      await using node = await openNodeReader({ paths, log, version, note: () => {} });
      return await readFrom(node);
    },
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
}

/** Counting conflicts reads the whole ledger, so it is repeated only after a change. */
function createConflictCount() {
  let known: { readonly vector: string; readonly count: number } | undefined;
  return {
    async of(ledger: NodeReadApi["ledger"]): Promise<number> {
      const vector = JSON.stringify(await ledger.vector());
      if (known?.vector !== vector) {
        let count = 0;
        for await (const conflicts of readConflicts(ledger)) count += conflicts.length;
        known = { vector, count };
      }
      return known.count;
    },
  };
}
