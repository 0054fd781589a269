import { openLedgerIn } from "../../../app/index.ts";
import { systemRandom } from "../../../base/random.ts";
import { createHub } from "../../../ledger/index.ts";
import type { Command } from "../../command.ts";
import { parseDuration } from "../../duration.ts";
import { textFlag } from "../../flags.ts";
import { bucketOption, openFleetBucket } from "../ledger/bucket-option.ts";
import { checkpointTold } from "./checkpoint-told.ts";
import { hubOptions, hubSettings } from "./hub-options.ts";

export const hubRun: Command = {
  needs: "settings",
  options: [
    bucketOption,
    { flag: "--interval", value: "time", summary: "between two looks", default: "1m" },
    ...hubOptions,
  ],
  examples: [
    { line: "forager hub run --bucket s3://fleet", summary: "be the hub whenever nobody else is" },
  ],
  details: [
    "Runs until it is stopped; `forager ledger compact` does it once. Any number may run: one holds\n" +
      "the lease, the others wait. Refuses a store that does not keep its conditions.",
  ],

  async run(context) {
    const { paths, log, out, clock, flags, signal } = context;
    await using bucket = await openFleetBucket(context);
    await using ledger = await openLedgerIn({ paths, log });
    const sync = ledger.withBucket(bucket);
    const told = checkpointTold(ledger, sync);
    let checkpoints = 0;
    const hub = createHub({
      ...(await hubSettings(context)),
      bucket,
      clock,
      random: systemRandom,
      log,
      owner: ledger.node(),
      intervalMs: parseDuration("interval", textFlag(flags, "interval") ?? "1m"),
      async onCheckpoint(manifest) {
        checkpoints += 1;
        out.note(`checkpoint ${manifest.number} was made`);
        await told(manifest);
      },
    });
    await hub.start();
    out.note(`${ledger.node()} stands by as hub`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await hub.stop();
    out.result({ checkpoints }, `${checkpoints} checkpoints were made`);
  },
};
