import { existsSync } from "node:fs";
import { hostname } from "node:os";
import {
  hasFleetBucket,
  lookIntoWindows,
  openLedgerIn,
  openRetryingFleetBucket,
} from "../../../app/index.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { isUnavailable, type Bucket } from "../../../bucket/index.ts";
import {
  decodeNodeView,
  joinViews,
  openDesiredObject,
  rosterOf,
  type CommandPlace,
  type NodeSeen,
  type NodeView,
} from "../../../fleet/index.ts";
import { readHeadsSeen, type Ledger } from "../../../ledger/index.ts";
import { fleetBucketOf } from "../../bucket-option.ts";
import type { SettingsContext } from "../../command.ts";

/** What a command about the fleet stands on: ledger, bucket where there is one, and who is there. */
export interface OpenFleet extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly bucket: Bucket | undefined;
  readonly desired: CommandPlace["desired"];
  /** What the node that runs on this machine shows; undefined: none runs. */
  view(): Promise<NodeView | undefined>;
  /** `withHeads` false: without asking the bucket. */
  roster(withHeads?: boolean): Promise<readonly NodeSeen[]>;
  /** As `roster`; where the bucket does not answer and a node runs here, by what that one knows. */
  reach(): Promise<Reached>;
  /** Heads that cannot be used, and why. */
  readonly faults: string[];
}

export interface Reached {
  readonly roster: readonly NodeSeen[];
  /** Why nothing can be said of nodes that only the bucket knows; undefined: it answered. */
  readonly cut: string | undefined;
}

/** `isReader`: writes nothing, not even a ledger where there is none. */
export async function openFleet(
  context: SettingsContext,
  { isReader }: { readonly isReader: boolean },
): Promise<OpenFleet> {
  const { paths, log, clock } = context;
  const place = fleetBucketOf(context);
  const bucket = hasFleetBucket(place) ? await openRetryingFleetBucket(place) : undefined;
  const ledger = await openLedgerIn({ paths, log, isReader });
  const session = createId(systemRandom);
  const desired = bucket && openDesiredObject({ bucket, session, clock, random: systemRandom });
  const faults: string[] = [];
  const view = async () => {
    const views = (await lookIntoWindows(paths)).map(decodeNodeView);
    return joinViews(views.filter((one) => one !== undefined));
  };
  const roster = async (withHeads = true) => {
    faults.length = 0;
    const onFault = (fault: string) => void faults.push(fault);
    const heads = bucket && withHeads ? await readHeadsSeen(bucket, onFault) : [];
    // One who only looks makes no node, and would see another id each time.
    const isMade = !isReader || existsSync(paths.resolve("ledger", "node.json"));
    const self = { node: isMade ? ledger.node() : "-", label: hostname() };
    return rosterOf({ nowMs: clock.nowMs(), self, heads, view: await view() });
  };
  return {
    ledger,
    bucket,
    desired,
    faults,
    view,
    roster,
    async reach() {
      try {
        return { roster: await roster(), cut: undefined };
      } catch (error) {
        if (!isUnavailable(error) || !(await view())) throw error;
        return { roster: await roster(false), cut: (error as Error).message };
      }
    },
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await bucket?.[Symbol.asyncDispose]();
    },
  };
}
