import { AppError } from "../base/app-error.ts";
import { formats, isReadable, markOf } from "../base/text/formats.ts";
import { isNodeId, isSessionId } from "./datagram/check-parts.ts";
import type { Datagram } from "./datagram/datagram.ts";
import type { LedgerDisk } from "./journal/disk.ts";

/** Who this node is, and how far its own datagrams have come. */
export interface NodeFile {
  readonly format: 1;
  /** Random, made once. The host's name is only a label: cloned disks share both. */
  readonly node: string;
  readonly label: string;
  /** Recent sessions of this disk, which the node's head may name. */
  readonly sessions: readonly string[];
  /** By `node/session`: the number up to which the bucket has the segments and the head says so. */
  readonly published: Readonly<Record<string, number>>;
  /** The clock never goes below this, even if the journal it came from is gone. */
  readonly highWater: string;
  /** Own datagrams are being written again, under another session or another node. */
  readonly moving?: Move;
  /**
   * The sessions that were moved, each from a number on. They are no longer valid as this node's.
   */
  readonly movedAway?: Move["from"];
  /** The checkpoint that this disk used last; 0 or absent: none. */
  readonly checkpoint?: number;
  /**
   * How many own datagrams beyond the checkpoint this disk had when the ledger was last opened or
   * closed. Fewer at the next start mean that a journal file was lost.
   */
  readonly ownDatagrams?: number;
  /** By `node/session`: missing datagrams up to this number were given up by a person. */
  readonly givenUp?: Readonly<Record<string, number>>;
  /** When own segments were last checked in the bucket, by the bucket's clock. */
  readonly segmentsCheckedAtMs?: number;
  /** What the last sync could not use in the bucket, and why. */
  readonly faults?: readonly string[];
}

export interface Move {
  readonly node: string;
  readonly session: string;
  /** How many datagrams the new session has when it is complete. */
  readonly count: number;
  /** What is moved: these sessions, each from that number on. */
  readonly from: readonly { readonly key: string; readonly number: number }[];
}

const fileName = "ledger/node.json";
const sessionsMax = 64;
const movedAwayMax = 256;

export async function readNodeFile(disk: LedgerDisk): Promise<NodeFile | undefined> {
  const bytes = await disk.read(fileName);
  if (!bytes) return undefined;
  let found: Partial<NodeFile> | undefined;
  try {
    found = JSON.parse(Buffer.from(bytes).toString()) as Partial<NodeFile>;
  } catch {
    // reported below
  }
  if (
    isReadable("node", found, fileName) &&
    isNodeId(found?.node) &&
    found.sessions?.every(isSessionId)
  ) {
    return found as NodeFile;
  }
  const message =
    `${fileName} is damaged: restore it from a backup. Without one, remove it: this node gets a new ` +
    `id, and what it had not sent to the bucket stays on this machine`;
  throw new AppError("corrupt", "ledger_node_file", message);
}

export async function writeNodeFile(disk: LedgerDisk, file: NodeFile): Promise<void> {
  const { sessions, movedAway } = file;
  const kept = {
    ...markOf(formats.node.newest),
    ...file,
    sessions: sessions.slice(-sessionsMax),
    ...(movedAway && { movedAway: movedAway.slice(-movedAwayMax) }),
  };
  await disk.replace(fileName, Buffer.from(`${JSON.stringify(kept, null, 2)}\n`));
}

export const isMoved = ({ from }: Move, datagram: Datagram): boolean => isIn(from, datagram);

export const wasMovedAway = ({ movedAway = [] }: NodeFile, datagram: Datagram): boolean =>
  movedAway.length > 0 && isIn(movedAway, datagram);

function isIn(from: Move["from"], datagram: Datagram): boolean {
  const key = `${datagram.node}/${datagram.session}`;
  return from.some((one) => one.key === key && datagram.number >= one.number);
}
