import { commandFleet, openFleet, type OpenFleet } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { formatDuration } from "../../../base/text/format-time.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { isUnavailable, type Bucket } from "../../../bucket/index.ts";
import { parseHeartbeat, type AppliedRevision } from "../../../fleet/index.ts";
import { readHeadsSeen } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { awaitFollowers, type Acknowledgement } from "./await-followers.ts";

export const fleetSet: Command = {
  needs: "settings",
  arguments: [
    { name: "node", summary: "name or id of a node, or all", complete: "node" },
    {
      name: "what",
      summary: "pause, resume, drain, workers.KIND=COUNT, campaign.NAME.FIELD=VALUE",
      isRepeated: true,
    },
  ],
  options: [
    bucketOption,
    {
      flag: "--wait",
      value: "time",
      summary: "how long to wait for acknowledgements (default: 20s; 0: do not wait)",
    },
    sourceOption,
  ],
  examples: [
    { line: "forager fleet set all pause", summary: "start no more tasks on any node" },
    { line: "forager fleet set pi-3 workers.enrich=4", summary: "four visits at once on pi-3" },
    {
      line: "forager fleet set pi-3 workers.enrich=default",
      summary: "use the node's own settings",
    },
    {
      line: "forager fleet set all campaign.austin.politeness.delayMs=3000",
      summary: "override a field of a campaign",
    },
  ],
  details: [
    "A value stays until it is set again; a node that is offline applies it when it is back. COUNT\n" +
      "is concurrent tasks, 0 for none, or PROCESSESxCONCURRENCY such as 2x5-20. pause: running tasks\n" +
      "have work.graceMs to end. drain: the same, and `forager work` exits.",
    "Exits 3 if a node could not apply it, or did not acknowledge it in time.",
    `Page: ${docsPage("fleet.md")}`,
  ],

  async run(context) {
    const { args, flags, out, clock, signal } = context;
    const [name = "", ...words] = args;
    const wait = textFlag(flags, "wait") ?? "20s";
    const timeoutMs = parseDuration("wait", wait);
    await using fleet = await openFleet({ ...fleetOf(context), isReader: false });
    const by = sourceOf(context);
    const given = await asUsage(() => commandFleet(fleet, { node: name, words, by }, clock));
    const { revision, scope, assignments, bucket, cut } = given;
    const after = Object.fromEntries(assignments.map(({ key, value }) => [key, value]));
    context.recordChange({ before: { scope, ...given.before }, after: { scope, revision, ...after } }); // prettier-ignore
    const nodes = await awaitFollowers({
      revision,
      nodes: given.nodes,
      timeoutMs,
      lookNear: () => lookNear(fleet),
      lookFar: bucket && ((ids) => lookFar(bucket, ids)),
      clock,
      signal,
    });
    const result = { revision, scope, by, assignments, nodes };
    out.result(result, (layout) =>
      [`revision ${revision}, ${scope}: ${words.join(" ")}`, layout.table(nodes, columns)].join(
        "\n",
      ),
    );
    if (!fleet.bucket && nodes.every(({ status }) => status === "absent")) {
      out.note("no node runs here, and no bucket is set: other nodes cannot get the command");
    }
    if (cut !== undefined) {
      out.note(`nodes that gossip does not reach get it when the bucket is back: ${cut}`);
      return "partial";
    }
    if (timeoutMs === 0) return undefined;
    return nodes.every(({ status }) => status === "followed" || status === "absent")
      ? undefined
      : "partial";
  },
};

const columns = [
  { title: "node", value: ({ node }: Acknowledgement) => node },
  { title: "name", value: ({ label }: Acknowledgement) => label, isKey: true },
  {
    title: "",
    value: ({ status }: Acknowledgement) => status,
    tint: ({ status }: Acknowledgement) =>
      status === "followed"
        ? ("good" as const)
        : status === "absent"
          ? undefined
          : ("bad" as const),
  },
  {
    title: "after",
    value: ({ afterMs }: Acknowledgement) => (afterMs === undefined ? "" : formatDuration(afterMs)),
  },
  { title: "what", value: ({ what }: Acknowledgement) => what, isNeverCut: true },
];

async function lookNear(
  fleet: OpenFleet,
): Promise<ReadonlyMap<string, AppliedRevision | undefined>> {
  const view = await fleet.view();
  if (!view) return new Map();
  const peers = view.peers.map(({ node, heartbeat }) => [node, heartbeat?.followed] as const);
  return new Map([...peers, [view.node, view.heartbeat.followed]]);
}

async function lookFar(bucket: Bucket, nodes: readonly string[]) {
  const heads = await readHeadsSeen(bucket, () => {}).catch((error: unknown) => {
    if (isUnavailable(error)) return []; // the next poll may succeed
    throw error;
  });
  return new Map(
    heads
      .filter(({ head }) => nodes.includes(head.node))
      .map(({ head }) => [head.node, parseHeartbeat(head.beat)?.followed] as const),
  );
}
