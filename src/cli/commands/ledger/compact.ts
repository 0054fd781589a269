import { compactLedger } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import type { Compacted } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { hubOptions, hubSettings } from "../hub/hub-options.ts";

export const ledgerCompact: Command = {
  needs: "settings",
  options: [bucketOption, ...hubOptions],
  examples: [
    {
      line: "forager ledger compact --bucket s3://fleet",
      summary: "fold everything into a checkpoint, once",
    },
  ],
  details: ["Exits 1 if another node is the hub or becomes it; that node then does the work."],

  async run(context) {
    const { out } = context;
    const { graceMs, hasArchive } = await hubSettings(context);
    await using node = await openNodeOf(context);
    const { ledger } = node;
    const done = await compactLedger({ ...fleetOf(context), ledger, graceMs, hasArchive });
    out.result(done, wordsOf(done));
    for (const fault of done.faults) out.note(fault);
    if (done.status !== "done") return "failed";
    return done.faults.length > 0 ? "partial" : undefined;
  },
};

function wordsOf({ status, checkpoint, datagrams, pruned }: Compacted): string {
  if (status === "taken") return "another node is the hub: `forager hub status` shows which";
  if (status === "lost") return "another node has become the hub meanwhile";
  const made =
    checkpoint === undefined
      ? "nothing was new"
      : `checkpoint ${checkpoint} was made of ${countOf(datagrams, "new datagram")}`;
  const { segments, checkpoints, parts } = pruned;
  return [
    `${made}; ${countOf(segments, "segment")}`,
    `${countOf(checkpoints, "checkpoint")} and ${countOf(parts, "part")} went`,
  ].join(", ");
}
