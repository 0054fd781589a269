import type { Ledger } from "../ledger/index.ts";
import {
  allNodes,
  joined,
  nothingDesired,
  type DesiredEntry,
  type DesiredState,
} from "./desired-state.ts";
import { parseDesired } from "./desired-format.ts";

type LedgerPart = Pick<Ledger, "read" | "write">;

const targetOf = (scope: string) => `fleet/${scope}`;

/**
 * Commands are facts too: a datagram on `fleet/<node>` or `fleet/all` records for good who
 * commanded what and when, and spreads like every fact. So commands also reach a fleet without a
 * bucket.
 */
export async function auditCommand(
  ledger: LedgerPart,
  { scopes }: DesiredState,
  revision: number,
): Promise<number> {
  let written = 0;
  const bySource = new Map<string, { target: string; field: string; value: unknown }[]>();
  for (const [scope, keys] of Object.entries(scopes)) {
    for (const [field, { by, ...entry }] of Object.entries(keys)) {
      if (entry.revision !== revision) continue;
      const changes = bySource.get(by) ?? [];
      bySource.set(by, changes);
      changes.push({ target: targetOf(scope), field, value: entry });
    }
  }
  for (const [source, changes] of bySource) {
    written += (await ledger.write({ source, changes })).datagrams.length;
  }
  return written;
}

/** The desired state of these nodes and of all, according to the ledger. */
export async function readCommands(
  ledger: Pick<LedgerPart, "read">,
  nodes: readonly string[],
): Promise<DesiredState> {
  let desired = nothingDesired;
  for (const scope of [allNodes, ...nodes]) {
    const { fields } = await ledger.read(targetOf(scope));
    for (const { field, value, source } of fields) {
      if (typeof value !== "object" || value === null) continue;
      const entry = { ...(value as Omit<DesiredEntry, "by">), by: source };
      // Skip what a person wrote there by hand and is not a command.
      const found = parseDesired({
        revision: entry.revision,
        scopes: { [scope]: { [field]: entry } },
      });
      if (found) desired = joined(desired, found);
    }
  }
  return desired;
}
