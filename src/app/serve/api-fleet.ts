import type { ApiFleet, CommandValue } from "../../api/index.ts";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { readKeptLog } from "../../base/log/kept-log.ts";
import { openCampaignFolder } from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import {
  allNodes,
  findNode,
  isPresent,
  joined,
  logKey,
  nothingDesired,
  readDesired,
  type Assignment,
  type DesiredState,
  type NodeSeen,
} from "../../fleet/index.ts";
import { askForLogs } from "../node/ask-for-logs.ts";
import { commandFleet } from "../node/fleet-command.ts";
import type { OpenFleet } from "../node/open-fleet.ts";
import { refuseAssignedOutside } from "./campaign-reach.ts";
import { createAttemptReader } from "../node/read-attempts.ts";

export interface ApiFleetOptions {
  readonly open: () => Promise<OpenFleet>;
  readonly paths: Paths;
  readonly clock: Clock;
}

interface Given extends Pick<
  CommandValue,
  "revision" | "scope" | "what" | "by" | "atMs" | "notice"
> {
  /** The words that restore the former values; undefined if they are not known here. */
  readonly undo: readonly string[] | undefined;
  readonly acknowledged: Map<string, NodeAnswer>;
}

interface NodeAnswer {
  readonly afterMs: number | null;
  readonly isApplied: boolean;
  readonly what: string;
}

/** What a node answered to a command. It retries what failed, so a success counts after a failure. */
export function nodeAnswer(
  before: NodeAnswer | undefined,
  followed: NonNullable<NodeSeen["heartbeat"]>["followed"] | undefined,
  command: { readonly revision: number; readonly atMs: number; readonly isTimed: boolean },
): NodeAnswer | undefined {
  if (before?.isApplied || !followed || followed.revision < command.revision) return before;
  const { isApplied, what, atMs } = followed;
  const afterMs = command.isTimed ? Math.max(0, atMs - command.atMs) : null;
  return { afterMs, isApplied, what };
}

const givenMax = 200;
/** After this time, online nodes that have not acknowledged are listed by name. */
const settleMs = 15_000;
/** Caches the roster: many viewers read it at once, and each read may cost a request. */
const rosterMs = 1_000;
/** How long a node sends its log lines often after one request for it. */
const followMs = 120_000;

/** Commands change the desired state; nodes apply it in their own time. */
export function createApiFleet({ open, paths, clock }: ApiFleetOptions): ApiFleet {
  const campaigns = openCampaignFolder(paths);
  const readAttempts = createAttemptReader({ paths, clock });
  const given = new Map<number, Given>();
  let looked:
    | { readonly atMs: number; readonly reached: ReturnType<OpenFleet["reach"]> }
    | undefined;

  const reach = async () => {
    const fleet = await open();
    if (!looked || clock.monotonicMs() - looked.atMs > rosterMs) {
      looked = { atMs: clock.monotonicMs(), reached: fleet.reach() };
      looked.reached.catch(() => (looked = undefined));
    }
    return { fleet, ...(await looked.reached) };
  };

  const readState = async () => {
    const { fleet, roster, cut } = await reach();
    const view = await fleet.view();
    const desired = cut === undefined ? fleet.desired : undefined;
    const nodes = roster.map(({ node }) => node);
    const known = await readDesired({ ledger: fleet.ledger, desired, nodes });
    const state = joined(known, view?.desired ?? nothingDesired);
    const own = view && new Map([[view.node, view.heartbeat]]);
    const seen = roster.map((one) => ({ ...one, heartbeat: own?.get(one.node) ?? one.heartbeat }));
    return { fleet, state, roster: seen, cut };
  };

  const describe = (one: Given, roster: readonly NodeSeen[]): CommandValue => {
    const { revision, scope, what, by, atMs, notice, undo, acknowledged } = one;
    const nowMs = clock.nowMs();
    const nodes = roster
      .filter(({ node }) => scope === allNodes || node === scope)
      .map((seen) => {
        const { node, label, heartbeat } = seen;
        const followed = heartbeat?.followed;
        // Of a command that was given elsewhere, only the answer to its own revision has a time.
        const isTimed = undo !== undefined || followed?.revision === revision;
        const answer = nodeAnswer(acknowledged.get(node), followed, { revision, atMs, isTimed });
        if (answer) acknowledged.set(node, answer);
        if (answer) {
          const status = answer.isApplied ? ("followed" as const) : ("failed" as const);
          return { node, label, status, afterMs: answer.afterMs, what: answer.what };
        }
        return isPresent(seen, nowMs)
          ? { node, label, status: "waiting" as const, afterMs: null, what: "" }
          : {
              node,
              label,
              status: "away" as const,
              afterMs: null,
              what: "applies it when it is online again",
            };
      });
    const isSettled = nodes.every(({ status }) => status === "followed" || status === "away");
    const isLate = nowMs - atMs > settleMs || nodes.some(({ status }) => status === "failed");
    const state = isSettled ? "settled" : isLate ? "partial" : "pending";
    return { revision, scope, what, by, atMs, state, nodes, notice };
  };

  const give: ApiFleet["give"] = async (node, what, { by, mayReachOutside }) => {
    const { state } = await readState();
    const fleet = await open();
    const check = mayReachOutside ? undefined : (all: readonly Assignment[]) => refuseAssignedOutside(campaigns, all); // prettier-ignore
    const command = await commandFleet(fleet, { node, words: what, by, check }, clock);
    looked = undefined;
    const { revision, scope, assignments, atMs, cut } = command;
    const one: Given = {
      revision,
      scope,
      what: [...what],
      by,
      atMs,
      notice: cut === undefined ? null : `nodes that gossip does not reach get it later: ${cut}`,
      undo: assignments.map(({ key }) => wordFor(key, formerValue(state, scope, key))),
      acknowledged: new Map(),
    };
    given.set(revision, one);
    if (given.size > givenMax) given.delete(given.keys().next().value!);
    return describe(one, command.nodes);
  };

  /** A command that was given through another server is known only by its entries. */
  const find = (state: DesiredState, revision: number): Given | undefined => {
    const own = given.get(revision);
    if (own) return own;
    const entries = entriesOf(state).filter((entry) => entry.revision === revision);
    const [first] = entries;
    if (!first) return undefined;
    const what = entries.map(({ key, value }) => wordFor(key, value));
    const { scope, by, atMs } = first;
    return {
      revision,
      scope,
      what,
      by,
      atMs,
      notice: null,
      undo: undefined,
      acknowledged: new Map(),
    };
  };

  return {
    async show() {
      const { state, roster, fleet, cut } = await readState();
      const nowMs = clock.nowMs();
      return {
        revision: state.revision,
        entries: entriesOf(state),
        nodes: roster.map((seen) => ({
          node: seen.node,
          label: seen.label,
          isPresent: isPresent(seen, nowMs),
          state: seen.heartbeat?.state ?? null,
          applied: seen.heartbeat?.followed ?? null,
        })),
        faults: [...fleet.faults],
        notice: cut ?? null,
      };
    },
    give,
    async commands(limit) {
      const { state, roster } = await readState();
      const revisions = new Set([...given.keys(), ...entriesOf(state).map((one) => one.revision)]);
      const newest = [...revisions].toSorted((a, b) => b - a).slice(0, limit);
      return newest.flatMap((revision) => {
        const one = find(state, revision);
        return one ? [describe(one, roster)] : [];
      });
    },
    async command(revision) {
      const { state, roster } = await readState();
      const one = find(state, revision);
      if (!one) throw noCommand(revision);
      return describe(one, roster);
    },
    async undo(revision, by) {
      const { state } = await readState();
      const one = find(state, revision);
      if (!one) throw noCommand(revision);
      if (!one.undo) {
        const message = `command ${revision} was given through another server: the previous state is not known here`;
        throw new AppError("conflict", "undo_unknown", message);
      }
      // Somebody who was allowed to set it has set it before.
      return give(one.scope, one.undo, { by, mayReachOutside: true });
    },
    async attempts(query) {
      return await readAttempts(query, async () => {
        const { fleet, roster } = await reach();
        return { roster, bucket: fleet.bucket };
      });
    },
    async followLogs(name, by) {
      const { fleet, roster } = await reach();
      const { node } = findNode(roster, name);
      const untilMs = await askForLogs(fleet, { node, forMs: followMs, by, atMs: clock.nowMs() });
      return { untilMs };
    },
    async logs({ node: name, lines, text }) {
      const { fleet, roster } = await reach();
      const node =
        name === undefined ? roster.find(({ isSelf }) => isSelf) : findNode(roster, name);
      const all =
        !node || node.isSelf
          ? readKeptLog(paths.logs(), { linesMax: 10_000 })
          : await linesInBucket(fleet, node.node);
      const wanted = text === undefined ? all : all.filter((line) => line.includes(text));
      return { node: node?.node ?? "", lines: wanted.slice(-lines) };
    },
  };
}

async function linesInBucket({ bucket }: OpenFleet, node: string): Promise<readonly string[]> {
  const got = await bucket?.get(logKey(node));
  return got?.status === "found"
    ? Buffer.from(got.body).toString().split("\n").filter(Boolean)
    : [];
}

const entriesOf = (state: DesiredState) =>
  Object.entries(state.scopes).flatMap(([scope, keys]) =>
    Object.entries(keys)
      .filter(([key]) => !key.startsWith("logs."))
      .map(([key, entry]) => ({ scope, key, ...entry })),
  );

const formerValue = (state: DesiredState, scope: string, key: string): unknown =>
  (state.scopes[scope]?.[key] ?? state.scopes[allNodes]?.[key])?.value ?? null;

const stateWords: Readonly<Record<string, string>> = {
  paused: "pause",
  drained: "drain",
  working: "resume",
};

/** The word as a user would type it. */
function wordFor(key: string, value: unknown): string {
  if (key === "state") return stateWords[String(value)] ?? "resume";
  if (value === null) return `${key}=default`;
  return `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`;
}

const noCommand = (revision: number) =>
  new AppError("invalid", "no_command", `there is no command ${revision}`);
