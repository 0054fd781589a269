import {
  addVisitBatch,
  openOrMakeQueue,
  type CompanyToVisit,
  type VisitBatchCounts,
} from "../../../app/index.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { SettingsContext } from "../../frame/command.ts";

/** Adds visits as one batch, with a progress bar. */
export async function visitAll(
  context: SettingsContext,
  { ledger }: NodeReadApi,
  batch: { name: string; at: string; placed: readonly CompanyToVisit[] },
): Promise<VisitBatchCounts> {
  await using queue = await openOrMakeQueue(context);
  const shown = context.progress.start({ label: "visits", total: batch.placed.length });
  try {
    const onAdded = (count: number) => shown.advance(count);
    return await addVisitBatch({ ...context, ...batch, ledger, queue, onAdded });
  } finally {
    shown.done();
  }
}
