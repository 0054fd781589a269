import { commanded, logsKey, nothingDesired } from "../../fleet/index.ts";
import type { OpenFleet } from "./open-fleet.ts";

export interface LogWish {
  readonly node: string;
  /** How long the node sends its log lines every two seconds. */
  readonly forMs: number;
  readonly by: string;
  readonly atMs: number;
}

/**
 * Asks a node to send its log lines more often for a while. Nobody needs to know later that somebody
 * read them, so it is not recorded in the ledger. Returns until when the node sends them.
 */
export async function askForLogs(
  { desired }: Pick<OpenFleet, "desired">,
  { node, forMs, by, atMs }: LogWish,
): Promise<number> {
  const value = atMs + forMs;
  const command = { scopes: [node], assignments: [{ key: logsKey, value }], by, atMs };
  await desired?.change((now = nothingDesired) => commanded(now, command));
  return value;
}
