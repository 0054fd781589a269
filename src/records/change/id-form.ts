import type { Change, Ledger, TargetView } from "../../ledger/index.ts";
import type { RecordsContext } from "../context.ts";

/**
 * How ids of new companies are made. Versions up to 0.2 used the place or the domain as the id, which
 * stays readable in the journals after the company was forgotten; now it is a hash of them. Two nodes
 * that find the same company at once must give it the same id. So while a node of the fleet may still
 * make readable ids, all make them. Each node says once, in this target, that it makes hashed ones.
 */
export const idFormTarget = "system/company-ids";
const nodePrefix = "node/";
/** Set by the end of an upgrade: nodes that have said nothing do not count any more. */
const finishedField = "finished";

type IdFormLedger = Pick<Ledger, "read" | "vector" | "node">;

/** Whether all nodes that have ever written, besides this one, make hashed ids. */
export async function makesHashedIds(ledger: IdFormLedger): Promise<boolean> {
  const { fields } = await ledger.read(idFormTarget);
  const known = new Set(fields.map(({ field }) => field));
  if (known.has(finishedField)) return true;
  const own = ledger.node();
  for (const key of ledger.vector().keys()) {
    const node = key.slice(0, key.indexOf("/"));
    if (node !== own && !known.has(`${nodePrefix}${node}`)) return false;
  }
  return true;
}

/** Says once that this node makes hashed ids as soon as all others do. Only within `run`. */
export async function declareHashedIds({
  ledger,
  ledgerOfFiles,
}: Pick<RecordsContext, "ledger" | "ledgerOfFiles">): Promise<void> {
  const field = `${nodePrefix}${ledger.node()}`;
  const { fields } = await ledger.read(idFormTarget);
  if (fields.some((one) => one.field === field || one.field === finishedField)) return;
  await ledgerOfFiles.write({
    source: "system",
    changes: [{ target: idFormTarget, field, value: true }],
  });
}

/**
 * The same if this node has written anything: other nodes wait for it. A node that never wrote need
 * not say so. If it fails, for example on a full disk, a later call tries again. Only within `run`.
 */
export async function declareIfWriter(
  context: Pick<RecordsContext, "ledger" | "ledgerOfFiles" | "log">,
): Promise<void> {
  const { ledger, log } = context;
  const own = `${ledger.node()}/`;
  if (![...ledger.vector().keys()].some((key) => key.startsWith(own))) return;
  try {
    await declareHashedIds(context);
  } catch (error) {
    log.debug("could not write yet that this node makes hashed ids", { error });
  }
}

export async function isIdFormFinished(ledger: {
  read(target: string): Promise<Pick<TargetView, "fields">>;
}): Promise<boolean> {
  const { fields } = await ledger.read(idFormTarget);
  return fields.some(({ field }) => field === finishedField);
}

/** What the end of an upgrade writes. */
export const finishIdForm: Change = { target: idFormTarget, field: finishedField, value: true };
