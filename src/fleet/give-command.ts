import type { SharedObject } from "../bucket/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { auditCommand, readCommands } from "./ledger-commands.ts";
import { commanded, joined, nothingWanted, type Command, type Wanted } from "./wanted.ts";

export interface CommandPlace {
  readonly ledger: Pick<Ledger, "read" | "write">;
  /** Absent: the ledger alone brings it to the others, by gossip or by its own bucket. */
  readonly desired: Pick<SharedObject<Wanted>, "read" | "change"> | undefined;
  /** Every node that is known: commands to it are looked at too. */
  readonly nodes: readonly string[];
}

/** All that is wanted, by the bucket and by the ledger. */
export async function readWanted(
  place: Omit<CommandPlace, "ledger"> & { readonly ledger: Pick<Ledger, "read"> },
): Promise<Wanted> {
  const { ledger, desired, nodes } = place;
  return joined(await readCommands(ledger, nodes), (await desired?.read()) ?? nothingWanted);
}

/**
 * Gives a command: it stands in the ledger before anybody can follow it, so there is none without
 * its author. Answers what is wanted now; its revision is the command's.
 */
export async function giveCommand(place: CommandPlace, command: Command): Promise<Wanted> {
  const { ledger, desired } = place;
  const known = await readWanted(place);
  const planned = commanded(known, command);
  await auditCommand(ledger, planned, planned.revision);
  if (!desired) return planned;
  const stands = await desired.change((now = nothingWanted) =>
    commanded(joined(known, now), command),
  );
  // Somebody was quicker: what was audited has another number now.
  if (stands.revision !== planned.revision) await auditCommand(ledger, stands, stands.revision);
  return stands;
}
