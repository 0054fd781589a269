import type { SharedObject } from "../bucket/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { auditCommand, readCommands } from "./ledger-commands.ts";
import {
  commanded,
  joined,
  nothingDesired,
  type DesiredCommand,
  type DesiredState,
} from "./desired-state.ts";

export interface CommandPlace {
  readonly ledger: Pick<Ledger, "read" | "write">;
  /** Absent: the ledger alone brings it to the others, by gossip or by its own bucket. */
  readonly desired: Pick<SharedObject<DesiredState>, "read" | "change"> | undefined;
  /** Every node that is known: commands to it are looked at too. */
  readonly nodes: readonly string[];
}

/** The desired state, from the bucket and from the ledger. */
export async function readDesired(
  place: Omit<CommandPlace, "ledger"> & { readonly ledger: Pick<Ledger, "read"> },
): Promise<DesiredState> {
  const { ledger, desired, nodes } = place;
  return joined(await readCommands(ledger, nodes), (await desired?.read()) ?? nothingDesired);
}

/**
 * Gives a command: it stands in the ledger before anybody can follow it, so there is none without
 * its author. Returns the new desired state; its revision is the revision of the command.
 */
export async function giveCommand(
  place: CommandPlace,
  command: DesiredCommand,
): Promise<DesiredState> {
  const { ledger, desired } = place;
  const known = await readDesired(place);
  const planned = commanded(known, command);
  await auditCommand(ledger, planned, planned.revision);
  if (!desired) return planned;
  const stands = await desired.change((now = nothingDesired) =>
    commanded(joined(known, now), command),
  );
  // Somebody was quicker: what was audited has another number now.
  if (stands.revision !== planned.revision) await auditCommand(ledger, stands, stands.revision);
  return stands;
}
