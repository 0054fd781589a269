import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createOnce } from "../../base/once.ts";
import type { Paths } from "../../config/index.ts";
import { connectToNode, createReadApi, type NodeReadApi } from "../../node/index.ts";
import { openMeetingPoint } from "./meeting-point.ts";
import { openLedgerReader } from "./open-ledger.ts";
import { openRecordReader } from "./open-records.ts";
import { useBucket } from "../bucket/use-bucket.ts";

export interface OpenNodeReaderOptions {
  readonly paths: Paths;
  readonly log: Logger;
  /** The version of this program. */
  readonly version: string;
  /** Called with notes for the user, for example that the index is behind the ledger. */
  readonly note: (text: string) => void;
}

export interface NodeReader extends NodeReadApi, AsyncDisposable {}

/**
 * Opens a data folder for a command that only reads. Sends requests to the owner if there is one;
 * otherwise reads the files. Takes no lock, listens on no socket, and writes nothing.
 */
export async function openNodeReader(options: OpenNodeReaderOptions): Promise<NodeReader> {
  const point = await openMeetingPoint(options);
  const owner = await connectToNode({ ...options, point, clock: systemClock });
  if (owner) {
    const close = async () => owner[Symbol.dispose]();
    return { ...owner.api, [Symbol.asyncDispose]: close };
  }
  const ledger = createOnce(() => openLedgerReader(options));
  const records = createOnce(() => openRecordReader(options));
  return {
    ...createReadApi({ ledger: ledger.get, records: records.get, withBucket: useBucket }),
    async [Symbol.asyncDispose]() {
      await (await ledger.opened())?.close();
      (await records.opened())?.[Symbol.dispose]();
    },
  };
}
