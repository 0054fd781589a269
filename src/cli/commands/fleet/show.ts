import { openFleet } from "../../../app/index.ts";
import { formatMoment } from "../../../base/format-time.ts";
import { joined, nothingWanted, readWanted } from "../../../fleet/index.ts";
import { bucketOption, fleetOf } from "../../bucket-option.ts";
import type { Command } from "../../command.ts";

export const fleetShow: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    { line: "forager fleet show", summary: "what is wanted, by whom, and who follows it" },
  ],

  async run(context) {
    const { out } = context;
    await using fleet = await openFleet({ ...fleetOf(context), isReader: true });
    const { roster, cut } = await fleet.reach();
    const nodes = roster.map(({ node }) => node);
    const view = await fleet.view();
    const desired = cut === undefined ? fleet.desired : undefined;
    const known = await readWanted({ ledger: fleet.ledger, desired, nodes });
    const wanted = joined(known, view?.wanted ?? nothingWanted);
    const labels = new Map(roster.map(({ node, label }) => [node, label]));
    const entries = Object.entries(wanted.scopes).flatMap(([scope, keys]) =>
      Object.entries(keys)
        .filter(([key]) => !key.startsWith("logs."))
        .map(([key, entry]) => ({ scope, key, ...entry })),
    );
    const followers = roster.map(({ node, label, beat }) => ({
      node,
      label,
      state: beat?.state,
      followed: (node === view?.node ? view.beat : beat)?.followed,
    }));
    out.result({ revision: wanted.revision, entries, nodes: followers }, (layout) =>
      [
        entries.length === 0
          ? "nothing is wanted of anybody: every node does as its settings say"
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
            title: "what came of it",
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
