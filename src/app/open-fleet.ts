import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { isUnavailable, type Bucket } from "../bucket/index.ts";
import type { Paths } from "../config/index.ts";
import {
  decodeNodeView,
  joinViews,
  openDesiredObject,
  rosterOf,
  type CommandPlace,
  type NodeSeen,
  type NodeView,
} from "../fleet/index.ts";
import { readHeadsSeen, type Ledger } from "../ledger/index.ts";
import {
  hasFleetBucket,
  openRetryingFleetBucket,
  type FleetBucketOptions,
} from "./fleet-bucket.ts";
import { lookIntoWindows } from "./look-into-windows.ts";
import { openLedgerIn } from "./open-ledger.ts";

export interface OpenFleetOptions extends FleetBucketOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends requests to the bucket. */
  readonly signal: AbortSignal;
  /** Writes nothing, not even a ledger where there is none. */
  readonly isReader: boolean;
}

/** A fleet as one of its machines sees it: ledger, bucket if there is one, and its nodes. */
export interface OpenFleet extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly bucket: Bucket | undefined;
  readonly desired: CommandPlace["desired"];
  /** What the node that runs on this machine shows; undefined: none runs. */
  view(): Promise<NodeView | undefined>;
  /** `withHeads` false: without asking the bucket. */
  roster(withHeads?: boolean): Promise<readonly NodeSeen[]>;
  /** As `roster`; if the bucket does not answer and a node runs here, what that node knows. */
  reach(): Promise<Reached>;
  /** Heads that cannot be used, and why. */
  readonly faults: string[];
}

export interface Reached {
  readonly roster: readonly NodeSeen[];
  /** Why nothing is known of nodes that only the bucket knows; undefined: it answered. */
  readonly cut: string | undefined;
}

export async function openFleet(options: OpenFleetOptions): Promise<OpenFleet> {
  const { paths, log, clock, isReader } = options;
  const bucket = hasFleetBucket(options) ? await openRetryingFleetBucket(options) : undefined;
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
    // A reader makes no node, and would see another id each time.
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
