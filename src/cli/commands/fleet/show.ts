import { openFleet } from "../../../app/index.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { joined, nothingDesired, readDesired } from "../../../fleet/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";

export const fleetShow: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    {
      line: "forager fleet show",
      summary: "commands, who gave them, and which nodes have applied them",
    },
  ],

  async run(context) {
    const { out } = context;
    await using fleet = await openFleet({ ...fleetOf(context), isReader: true });
    const { roster, cut } = await fleet.reach();
    const nodes = roster.map(({ node }) => node);
    const view = await fleet.view();
    const desired = cut === undefined ? fleet.desired : undefined;
    const known = await readDesired({ ledger: fleet.ledger, desired, nodes });
    const state = joined(known, view?.desired ?? nothingDesired);
    const labels = new Map(roster.map(({ node, label }) => [node, label]));
    const entries = Object.entries(state.scopes).flatMap(([scope, keys]) =>
      Object.entries(keys)
        .filter(([key]) => !key.startsWith("logs."))
        .map(([key, entry]) => ({ scope, key, ...entry })),
    );
    const followers = roster.map(({ node, label, heartbeat }) => ({
      node,
      label,
      state: heartbeat?.state,
      followed: (node === view?.node ? view.heartbeat : heartbeat)?.followed,
    }));
    out.result({ revision: state.revision, entries, nodes: followers }, (layout) =>
      [
        entries.length === 0
          ? "no commands were given: every node uses its own settings"
          : layout.table(entries, [
              { title: "of", value: ({ scope }) => labels.get(scope) ?? scope },
              { title: "what", value: ({ key }) => key },
              {
                title: "value",
                value: ({ value }) =>
                  value === null
                    ? "default"
                    : typeof value === "string"
                      ? value
                      : JSON.stringify(value),
              },
              { title: "revision", value: ({ revision }) => revision },
              { title: "by", value: ({ by }) => by },
              { title: "when", value: ({ atMs }) => formatMoment(atMs) },
            ]),
        "",
        layout.table(followers, [
          { title: "node", value: ({ node }) => node },
          { title: "name", value: ({ label }) => label },
          { title: "state", value: ({ state }) => state ?? "not known" },
          { title: "follows", value: ({ followed }) => followed?.revision ?? "-" },
          {
            title: "result",
            value: ({ followed }) => followed?.what ?? "",
            tint: ({ followed }) => (followed?.isApplied === false ? "bad" : undefined),
            isNeverCut: true,
          },
        ]),
      ].join("\n"),
    );
    for (const fault of fleet.faults) out.note(fault);
    if (cut === undefined) return undefined;
    out.note(`this is what the node that runs here knows: ${cut}`);
    return "partial";
  },
};
