import { usageError } from "../../base/usage-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Bucket } from "../../bucket/index.ts";
import { checkCampaignField } from "../../campaign/index.ts";
import {
  allNodes,
  findNode,
  giveCommand,
  parseAssignments,
  readDesired,
  type Assignment,
  type NodeSeen,
} from "../../fleet/index.ts";
import type { OpenFleet } from "./open-fleet.ts";

export interface FleetCommand {
  /** Name or id of a node, or `all`. */
  readonly node: string;
  /** `pause`, `resume`, `drain`, `workers.KIND=COUNT`, `campaign.NAME.FIELD=VALUE`. */
  readonly words: readonly string[];
  /** Who gives it: `hand:anna`. */
  readonly by: string;
}

export interface GivenCommand {
  readonly revision: number;
  /** `all`, or the id of a node. */
  readonly scope: string;
  readonly assignments: readonly Assignment[];
  /** What was desired before, by key; null: as the settings of the node say. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The nodes that should follow. */
  readonly nodes: readonly NodeSeen[];
  readonly atMs: number;
  /** Undefined: there is none, or it does not answer. */
  readonly bucket: Bucket | undefined;
  /** Why nodes that only the bucket knows hear of it later; undefined: the bucket answered. */
  readonly cut: string | undefined;
}

/** Sets what is desired of nodes. Throws `invalid` for words and nodes that nobody knows. */
export async function commandFleet(
  fleet: OpenFleet,
  { node, words, by }: FleetCommand,
  clock: Clock,
): Promise<GivenCommand> {
  const assignments = parseAssignments(words, checkCampaignField);
  const { roster, cut } = await fleet.reach();
  // Gossip and the ledger bring it to whom they reach, and the ledger to the bucket later.
  const bucket = cut === undefined ? fleet.bucket : undefined;
  const nodes = node === allNodes ? roster : [findNode(roster, node)];
  checkKinds(assignments, roster);
  const scope = node === allNodes ? allNodes : nodes[0]!.node;
  const desired = bucket && fleet.desired;
  const ledger = { read: fleet.ledger.read, write: fleet.write };
  const place = { ledger, desired, nodes: roster.map((one) => one.node) };
  const atMs = clock.nowMs();
  const former = (await readDesired(place)).scopes[scope] ?? {};
  const before = Object.fromEntries(assignments.map(({ key }) => [key, former[key]?.value ?? null])); // prettier-ignore
  const { revision } = await giveCommand(place, { scopes: [scope], assignments, by, atMs });
  return { revision, scope, assignments, before, nodes, atMs, bucket, cut };
}

/** A kind that no node has ever named is a mistake in typing, as a rule. */
function checkKinds(assignments: readonly Assignment[], nodes: readonly NodeSeen[]): void {
  const known = new Set(nodes.flatMap(({ beat }) => Object.keys(beat?.kinds ?? {})));
  if (known.size === 0) return;
  for (const { key, value } of assignments) {
    const [, kind] = /^workers\.(.+)$/.exec(key) ?? [];
    if (kind === undefined || value === null || known.has(kind)) continue;
    throw usageError(`no node does the kind '${kind}', only ${[...known].sort().join(", ")}`);
  }
}
