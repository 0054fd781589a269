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
  /** The name or id of a node, or `all`. */
  readonly node: string;
  /** `pause`, `resume`, `drain`, `workers.KIND=COUNT`, `campaign.NAME.FIELD=VALUE`. */
  readonly words: readonly string[];
  /** Who gives the command: `hand:anna`. */
  readonly by: string;
  /** Throws if who gives it may not set one of these. */
  readonly check?: ((assignments: readonly Assignment[]) => void) | undefined;
}

export interface GivenCommand {
  readonly revision: number;
  /** `all`, or the id of a node. */
  readonly scope: string;
  readonly assignments: readonly Assignment[];
  /** The desired values before, by key; null: the settings of the node applied. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The nodes that should apply it. */
  readonly nodes: readonly NodeSeen[];
  readonly atMs: number;
  /** Undefined if there is none, or it does not answer. */
  readonly bucket: Bucket | undefined;
  /**
   * The reason why nodes that can be reached only through the bucket get the command later;
   * undefined if the bucket answered.
   */
  readonly cut: string | undefined;
}

/** Changes the desired state of nodes. Throws `invalid` for unknown words and nodes. */
export async function commandFleet(
  fleet: OpenFleet,
  { node, words, by, check }: FleetCommand,
  clock: Clock,
): Promise<GivenCommand> {
  const assignments = parseAssignments(words, checkCampaignField);
  check?.(assignments);
  const { roster, cut } = await fleet.reach();
  // Otherwise gossip and the ledger deliver it to reachable nodes, and the ledger writes it to the
  // bucket later.
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

/** A kind that no node has reported is probably a typo. */
function checkKinds(assignments: readonly Assignment[], nodes: readonly NodeSeen[]): void {
  const known = new Set(nodes.flatMap(({ heartbeat }) => Object.keys(heartbeat?.kinds ?? {})));
  if (known.size === 0) return;
  for (const { key, value } of assignments) {
    const [, kind] = /^workers\.(.+)$/.exec(key) ?? [];
    if (kind === undefined || value === null || known.has(kind)) continue;
    throw usageError(`no node runs the kind '${kind}', only ${[...known].sort().join(", ")}`);
  }
}
