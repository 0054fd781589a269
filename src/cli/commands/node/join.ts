import { existingBucketAddress } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import type { ProgressHandle } from "../../../base/progress-handle.ts";

export const nodeJoin: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    { line: "forager node join --bucket s3://fleet", summary: "fetch all data of the fleet" },
  ],
  details: [
    "Fetches the newest checkpoint, then the rest, and shares what this node has written.\n" +
      "After an interruption run it again to continue.",
  ],

  async run(context) {
    const { out, progress } = context;
    const bucket = await existingBucketAddress(fleetOf(context));
    await using opened = await openNodeOf(context);
    const { ledger } = opened;
    let bar: ProgressHandle | undefined;
    const onProgress = ({ total }: { readonly total: number }) => {
      bar ??= progress.start({ label: "checkpoint", total });
      bar.advance();
    };
    const synced = await asUsage(() => ledger.sync({ bucket }, { onProgress }), ["bucket_address"]);
    bar?.done();
    const { checkpoint, node } = await ledger.status();
    out.result(
      { node, checkpoint, ...synced },
      `${node} stands on checkpoint ${checkpoint}, ${countOf(synced.pulled, "datagram")} beyond it`,
    );
    for (const fault of synced.faults) out.note(fault);
    return synced.faults.length > 0 ? "partial" : undefined;
  },
};
