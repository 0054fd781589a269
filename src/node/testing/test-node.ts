import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import { openFileDisk } from "../../ledger/adapters/file/file-disk.ts";
import { openLedger } from "../../ledger/index.ts";
import { createFolderMeetingPoint } from "../adapters/folder/folder-meeting-point.ts";
import { makeRepeatable } from "../left-to-write.ts";
import { createLocalApi } from "../local-api.ts";
import type { MeetingPoint, OwnerLock } from "../meeting-point.ts";
import { openNode, type NodeHandle, type OwnedParts, type ProcessKind } from "../open-node.ts";
import { createProcessRegistry } from "../owner/process-registry.ts";
import { createWakeUps } from "../owner/wake-up.ts";

export interface TestNodeOptions {
  readonly kind?: ProcessKind;
  readonly clock?: Clock;
  readonly version?: string;
  readonly point?: MeetingPoint;
  /** Called when this process starts or stops the services of the node. */
  readonly onServices?: (event: "started" | "stopped") => void;
}

export const testMeetingPoint = (folder: string): MeetingPoint =>
  createFolderMeetingPoint({
    paths: createPaths(folder),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    pid: process.pid,
  });

/** A process of a data folder, with a real ledger and a real socket, and without records. */
export function openTestNode(folder: string, options: TestNodeOptions = {}): Promise<NodeHandle> {
  const { kind = "command", clock = systemClock, version = "1", onServices } = options;
  return openNode({
    kind,
    point: options.point ?? testMeetingPoint(folder),
    openOwned: (lock) => openOwned(folder, lock, onServices),
    version,
    pid: process.pid,
    clock,
    random: systemRandom,
    log: silentLogger,
  });
}

async function openOwned(
  folder: string,
  lock: OwnerLock,
  onServices: TestNodeOptions["onServices"] = () => {},
): Promise<OwnedParts> {
  const [clock, random, log] = [systemClock, systemRandom, silentLogger];
  const disk = await openFileDisk({ paths: createPaths(folder), lock });
  const opened = await openLedger({ disk, clock, random, log, label: "test" });
  const repeatable = makeRepeatable(opened);
  const processes = createProcessRegistry({ clock, onChange: () => {} });
  const unused = () => Promise.reject(new Error("not in this test"));
  return {
    api: createLocalApi({
      ledger: repeatable,
      records: unused,
      random,
      fleet: { ...processes, view: async () => undefined },
      wake: createWakeUps({ clock, notifyNodes: () => {} }),
      withBucket: unused,
    }),
    newestStamp: () => opened.status().highWater,
    repeat: (after, work) => repeatable.repeat(after, work),
    services: async () => ({
      start: async () => onServices("started"),
      stop: async () => onServices("stopped"),
    }),
    [Symbol.asyncDispose]: () => opened.close(),
  };
}
