import { existingBucketAddress, fleetBucketAddress } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";

export const ledgerSync: Command = {
  needs: "settings",
  options: [bucketOption, { flag: "--dry-run", summary: "only show what would be done" }],
  examples: [
    {
      line: "forager ledger sync --bucket s3://fleet",
      summary: "upload own writes, fetch new ones",
    },
    {
      line: "forager ledger sync --bucket dir:bucket --dry-run",
      summary: "show how many writes that would be",
    },
  ],
  details: [
    "It also finds segments of this node that the bucket has lost, and uploads them again.",
    "Exits 3 if something in the bucket could not be used; everything else was.",
  ],

  async run(context) {
    const { flags, out } = context;
    const fleet = fleetOf(context);
    // An address of the command line may name a new bucket, which is made.
    const mayBeNew = fleet.bucketAddress !== undefined;
    const bucket = await (mayBeNew ? fleetBucketAddress(fleet) : existingBucketAddress(fleet));
    if (flags["dryRun"] === true) {
      await using reader = await openReaderOf(context);
      const preview = await asUsage(() => reader.ledger.preview({ bucket }), ["bucket_address"]);
      const { toPublish, toPull, checkpoint } = preview;
      const next = checkpoint === undefined ? "no newer checkpoint" : `checkpoint ${checkpoint}`;
      return out.result(
        preview,
        `${countOf(toPublish, "datagram")} to publish, ${toPull} to fetch, ${next}`,
      );
    }
    await using node = await openNodeOf(context);
    const request = { bucket, isRepairing: true };
    const synced = await asUsage(() => node.ledger.sync(request), ["bucket_address"]);
    const { published, pulled, fromNodes, adopted, moved, repaired, faults } = synced;
    const words = [
      `${countOf(published, "datagram")} published, ${pulled} fetched from ${countOf(fromNodes, "node")}`,
      ...(adopted === undefined ? [] : [`now on checkpoint ${adopted}`]),
      ...(moved === 0 ? [] : [`${moved} re-stamped`]),
      ...(repaired === 0 ? [] : [`${countOf(repaired, "missing segment")} put back`]),
    ];
    out.result(synced, words.join("; "));
    for (const fault of faults) out.note(fault);
    return faults.length > 0 ? "partial" : undefined;
  },
};
