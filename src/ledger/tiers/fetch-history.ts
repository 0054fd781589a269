import type { Bucket } from "../../bucket/index.ts";
import type { Core } from "../core.ts";
import {
  countOwn,
  describeMissing,
  missingHistory,
  publishedAndLost,
} from "../replica/missing-history.ts";
import { move } from "../move.ts";
import { adoptNewest, type AdoptingOptions } from "./adopt.ts";
import { headKey } from "./keys.ts";
import type { Puller } from "./pull.ts";

export interface FetchHistoryOptions {
  readonly core: Core;
  readonly bucket: Bucket;
  readonly puller: Pick<Puller, "pullOwn">;
  readonly quietly: AdoptingOptions["quietly"];
}

export interface FetchedHistory {
  readonly datagrams: number;
  /** Own datagrams that were here and were written again, because those before them are gone. */
  readonly moved: number;
  readonly adopted: number | undefined;
  readonly faults: readonly string[];
}

/**
 * Brings back what this node wrote, published and lost: the newest checkpoint if its own is
 * missing, then its segments. Makes no request if nothing is missing.
 *
 * Unpublished datagrams that a damaged journal lost are gone. The datagrams after them are written
 * again under another session, with their stamps, and the loss is logged. Published datagrams must
 * come back: if the bucket has lost them too, writes stay refused until a person gives them up.
 */
export async function fetchHistory(options: FetchHistoryOptions): Promise<FetchedHistory> {
  const { core, bucket, puller, quietly } = options;
  const before = missingHistory(core);
  const nothing = { datagrams: 0, moved: 0, adopted: undefined, faults: [] };
  if (!before) return nothing;
  const { node } = core.identity();
  if ((await bucket.get(headKey(node))).status === "absent") {
    const fault = `this bucket does not know this node (${headKey(node)} is missing): is it the right one?`;
    return { ...nothing, faults: [`${fault} ${describeMissing(before)}`] };
  }
  core.time.check(await bucket.now());
  let adopted: number | undefined;
  const adopt = async () => {
    const next = await adoptNewest(core, bucket, { quietly });
    adopted = next ?? adopted;
    return next !== undefined;
  };
  if (before.checkpoint !== undefined) await adopt();
  let { datagrams, faults, gaps } = await puller.pullOwn();
  if (gaps.length > 0 && (await adopt())) {
    const again = await puller.pullOwn();
    ({ faults, gaps } = again);
    datagrams += again.datagrams;
  }
  if (core.stranded() > 0) await quietly(() => core.reload());
  let moved = 0;
  if (publishedAndLost(core).size === 0) moved = await leaveBehind(options);
  const after = missingHistory(core);
  return {
    datagrams,
    moved,
    adopted,
    faults: [...faults, ...(after ? [describeMissing(after)] : [])],
  };
}

/** Everything in the bucket was fetched, so what is still missing was never published. */
async function leaveBehind({ core, quietly }: FetchHistoryOptions): Promise<number> {
  const left = missingHistory(core);
  if (!left || left.checkpoint !== undefined) return 0;
  let moved = 0;
  if (left.stranded > 0) {
    await quietly(async () => {
      moved = await move(core, "hole");
    });
  }
  core.options.log.error("datagrams that were never published are lost with a journal file", {
    atLeast: left.datagrams,
    rewritten: moved,
  });
  await core.saveIdentity({ ownDatagrams: countOwn(core) });
  return moved;
}
