/**
 * The desired state of the nodes of a fleet. It replicates and each node applies it; it is not a
 * set of messages that can get lost. Invariants:
 * - an entry says what one key should be, for one node or for all; the newer of the two counts, so
 *   "pause all" also pauses a node that got another command before;
 * - a revision is greater than every one that its writer knew. With a bucket each number is used
 *   once, because the bucket serialises writes; otherwise equal revisions are ordered by their
 *   content;
 * - joining two states is commutative, associative and idempotent, so it does not matter by which
 *   way (bucket, ledger, gossip) or how often an entry arrives.
 */
export interface DesiredState {
  readonly revision: number;
  /** By scope (`all`, or the id of a node), then by key. */
  readonly scopes: Readonly<Record<string, Readonly<Record<string, DesiredEntry>>>>;
}

export interface DesiredEntry {
  /** null: as in the node's own settings. */
  readonly value: unknown;
  readonly revision: number;
  readonly by: string;
  /** By the writer's clock; for people. */
  readonly atMs: number;
}

export const allNodes = "all";
export const nothingDesired: DesiredState = { revision: 0, scopes: {} };

export interface DesiredCommand {
  /** Ids of nodes, or `all`. */
  readonly scopes: readonly string[];
  readonly assignments: readonly Assignment[];
  readonly by: string;
  readonly atMs: number;
}

export interface Assignment {
  readonly key: string;
  readonly value: unknown;
}

/** The state after a command. All entries of the command get the next revision. */
export function commanded(
  desired: DesiredState,
  { scopes, assignments, by, atMs }: DesiredCommand,
): DesiredState {
  const revision = desired.revision + 1;
  const keys = Object.fromEntries(
    assignments.map(({ key, value }): [string, DesiredEntry] => [
      key,
      { value, revision, by, atMs },
    ]),
  );
  const added = Object.fromEntries(scopes.map((scope) => [scope, keys]));
  return joined(desired, { revision, scopes: added });
}

/** Joins two states. Leaves out an entry of a node if a newer one for all replaces it. */
export function joined(a: DesiredState, b: DesiredState): DesiredState {
  const scopes: Record<string, Record<string, DesiredEntry>> = {};
  for (const [scope, keys] of [...Object.entries(a.scopes), ...Object.entries(b.scopes)]) {
    const own = (scopes[scope] ??= {});
    for (const [key, entry] of Object.entries(keys)) {
      const known = own[key];
      if (!known || isNewer(entry, known)) own[key] = entry;
    }
  }
  const all = scopes[allNodes] ?? {};
  const kept = Object.entries(scopes).flatMap(([scope, keys]) => {
    if (scope === allNodes) return [[scope, keys] as const];
    const left = Object.entries(keys).filter(([key, entry]) => {
      const general = all[key];
      return !general || isNewer(entry, general);
    });
    return left.length > 0 ? [[scope, Object.fromEntries(left)] as const] : [];
  });
  return { revision: Math.max(a.revision, b.revision), scopes: Object.fromEntries(kept) };
}

/** The entries that apply to a node, by key. */
export function desiredFor(desired: DesiredState, node: string): ReadonlyMap<string, DesiredEntry> {
  return new Map([
    ...Object.entries(desired.scopes[allNodes] ?? {}),
    ...Object.entries(desired.scopes[node] ?? {}),
  ]);
}

/** Only the entries after a revision. */
export function desiredSince(desired: DesiredState, revision: number): DesiredState {
  const scopes = Object.entries(desired.scopes).flatMap(([scope, keys]) => {
    const newer = Object.entries(keys).filter(([, entry]) => entry.revision > revision);
    return newer.length > 0 ? [[scope, Object.fromEntries(newer)] as const] : [];
  });
  return { revision: desired.revision, scopes: Object.fromEntries(scopes) };
}

/**
 * A total order, so that equal revisions of two writers without a bucket have the same result
 * everywhere.
 */
function isNewer(a: DesiredEntry, b: DesiredEntry): boolean {
  if (a.revision !== b.revision) return a.revision > b.revision;
  if (a.atMs !== b.atMs) return a.atMs > b.atMs;
  return textOf(a) > textOf(b);
}

const textOf = ({ value, by }: DesiredEntry) => JSON.stringify([by, value]);
