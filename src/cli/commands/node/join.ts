import { openLedgerIn, openRetryingFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { bucketOption, fleetOf } from "../../bucket-option.ts";
import type { Command } from "../../command.ts";
import type { ProgressHandle } from "../../progress.ts";

export const nodeJoin: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    { line: "forager node join --bucket s3://fleet", summary: "learn all that the fleet knows" },
  ],
  details: [
    "Fetches the newest checkpoint, then the rest, and shares what this node has written. Goes on\n" +
      "where it was when it is run again.",
  ],

  async run(context) {
    const { paths, log, out, progress } = context;
    await using bucket = await openRetryingFleetBucket(fleetOf(context));
    await using ledger = await openLedgerIn({ paths, log });
    let bar: ProgressHandle | undefined;
    const synced = await ledger.withBucket(bucket).sync({
      onProgress({ total }) {
        bar ??= progress.start({ label: "checkpoint", total });
        bar.advance();
      },
    });
    bar?.done();
    const { checkpoint } = ledger.status();
    const node = ledger.node();
    out.result(
      { node, checkpoint, ...synced },
      `${node} stands on checkpoint ${checkpoint}, ${countOf(synced.pulled, "datagram")} beyond it`,
    );
    for (const fault of synced.faults) out.note(fault);
    return synced.faults.length > 0 ? "partial" : undefined;
  },
};
