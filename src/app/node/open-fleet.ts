import { existsSync } from "node:fs";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { readVersion } from "../../base/version.ts";
import { isUnavailable, type Bucket } from "../../bucket/index.ts";
import { userName, type Paths, type Settings } from "../../config/index.ts";
import {
  openDesiredObject,
  rosterOf,
  type CommandPlace,
  type NodeSeen,
  type NodeView,
} from "../../fleet/index.ts";
import { readHeadsSeen } from "../../ledger/index.ts";
import type { NodeApi, NodeReadApi } from "../../node/index.ts";
import { missingFolder } from "../bucket/bucket-folder.ts";
import { createMissingBucket } from "../bucket/create-bucket.ts";
import {
  fleetBucketAddress,
  hasFleetBucket,
  openRetryingFleetBucket,
  type FleetBucketOptions,
} from "../bucket/fleet-bucket.ts";
import { nodeName } from "./node-name.ts";
import { openNodeReader } from "./open-node-reader.ts";
import { openNodeIn } from "./open-node.ts";

export interface OpenFleetOptions extends FleetBucketOptions {
  readonly settings: Pick<Settings, "bucket" | "node">;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts requests to the bucket. */
  readonly signal: AbortSignal;
  /** Writes nothing, and does not create a ledger. */
  readonly isReader: boolean;
  /** The node of a process that has the data folder open; it is not closed with the fleet. */
  readonly node?: Pick<NodeApi, "ledger" | "fleet" | "records">;
}

/** A fleet as seen from one of its machines: ledger, bucket if there is one, and nodes. */
export interface OpenFleet extends AsyncDisposable {
  readonly ledger: NodeReadApi["ledger"];
  /** Rejects for a reader. */
  readonly write: NodeApi["ledger"]["write"];
  readonly bucket: Bucket | undefined;
  readonly desired: CommandPlace["desired"];
  /** The view of the node that runs on this machine; undefined if none runs. */
  view(): Promise<NodeView | undefined>;
  /** `withHeads` false: sends no request to the bucket. */
  roster(withHeads?: boolean): Promise<readonly NodeSeen[]>;
  /**
   * Like `roster`, but if the bucket does not answer and a node runs here, returns what that node
   * knows.
   */
  reach(): Promise<Reached>;
  /** Heads that cannot be used, with the reason. */
  readonly faults: string[];
}

export interface Reached {
  readonly roster: readonly NodeSeen[];
  /** The reason why nodes that only the bucket knows are missing; undefined if it answered. */
  readonly cut: string | undefined;
}

export async function openFleet(options: OpenFleetOptions): Promise<OpenFleet> {
  const { paths, clock, isReader, log } = options;
  const made = isReader ? undefined : await createMissingBucket(options);
  if (made !== undefined) log.warn(made, { check: "bucket" });
  const bucket = (await mayOpenBucket(options))
    ? await openRetryingFleetBucket(options)
    : undefined;
  const node = options.node
    ? alreadyOpen(options.node)
    : await (isReader ? openToRead(options) : openToWrite(options));
  const session = createId(systemRandom);
  const desired = bucket && openDesiredObject({ bucket, session, clock, random: systemRandom });
  const faults: string[] = [];
  const roster = async (withHeads = true) => {
    faults.length = 0;
    const onFault = (fault: string) => void faults.push(fault);
    const heads = bucket && withHeads ? await readHeadsSeen(bucket, onFault) : [];
    // A reader does not create a node, and would otherwise see a new id each time.
    const isMade = !isReader || existsSync(paths.resolve("ledger", "node.json"));
    const self = {
      node: isMade ? (await node.ledger.status()).node : "-",
      label: nodeName(options.settings),
    };
    return rosterOf({ nowMs: clock.nowMs(), self, heads, view: await node.view() });
  };
  return {
    ...node,
    bucket,
    desired,
    faults,
    roster,
    async reach() {
      try {
        return { roster: await roster(), cut: undefined };
      } catch (error) {
        if (!isUnavailable(error) || !(await node.view())) throw error;
        return { roster: await roster(false), cut: (error as Error).message };
      }
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await bucket?.close();
    },
  };
}

/** Opening a folder bucket creates the folder. */
const mayOpenBucket = async (options: OpenFleetOptions): Promise<boolean> =>
  hasFleetBucket(options) &&
  !(options.isReader && missingFolder(await fleetBucketAddress(options)) !== undefined);

interface FleetNode extends Pick<OpenFleet, "ledger" | "write" | "view">, AsyncDisposable {}

const alreadyOpen = ({ ledger, fleet }: Pick<NodeApi, "ledger" | "fleet">): FleetNode => ({
  ledger,
  write: (commit) => ledger.write(commit),
  view: () => fleet.view(),
  [Symbol.asyncDispose]: async () => {},
});

async function openToWrite({ paths, log, signal }: OpenFleetOptions): Promise<FleetNode> {
  const options = { paths, log, signal, user: userName(), version: readVersion() };
  const node = await openNodeIn({ ...options, kind: "command" });
  const { api } = node;
  return {
    ledger: api.ledger,
    write: (commit) => api.ledger.write(commit),
    view: () => api.fleet.view(),
    [Symbol.asyncDispose]: () => node.close(),
  };
}

async function openToRead({ paths, log }: OpenFleetOptions): Promise<FleetNode> {
  const open = () => openNodeReader({ paths, log, version: readVersion(), note: () => {} });
  const reader = await open();
  return {
    ledger: reader.ledger,
    write: () => Promise.reject(new AppError("internal", "fleet_reader", "opened only to read")),
    // Connects for each call, because the owner may have changed.
    async view() {
      await using now = await open();
      return await now.fleet.view();
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}
