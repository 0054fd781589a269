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
  /** Absent: only the ledger brings the command to other nodes, by gossip or by its own bucket. */
  readonly desired: Pick<SharedObject<DesiredState>, "read" | "change"> | undefined;
  /** Every known node, because commands to single nodes are read too. */
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
 * Gives a command. It is in the ledger before any node can apply it, so every applied command has a
 * recorded author. Returns the new desired state; its revision is the revision of the command.
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
  // Another writer was faster, so the command has another revision than the one that was recorded.
  if (stands.revision !== planned.revision) await auditCommand(ledger, stands, stands.revision);
  return stands;
}
