import type { EraseRequest } from "../../ledger/index.ts";
import type { RecordsContext } from "../context.ts";
import { removeCopies } from "./forget-record.ts";

/** Records that are rendered before other work goes first. */
const sliceSize = 200;

/**
 * The facts first: if the rest is interrupted, catching up renders the records. Renders that were moved
 * away go too, after edits in them were read.
 */
export async function eraseFields(
  context: RecordsContext,
  request: EraseRequest,
): Promise<{ readonly scrubbed: number }> {
  const scrubbed = await context.ledger.erase(request);
  const targets = [...new Set(request.erasures.map(({ target }) => target))];
  for (let from = 0; from < targets.length; from += sliceSize) {
    await context.run(async () => {
      const some = targets.slice(from, from + sliceSize);
      await context.renderMany(some);
      await context.reviewHeld();
      removeCopies(context, new Set(some), []);
      await context.conclude();
    });
  }
  if (targets.length > 0) await context.run(async () => context.stored.scrub());
  return { scrubbed };
}
