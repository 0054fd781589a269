import { existingBucketAddress, openFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { systemRandom } from "../../../base/random.ts";
import { createHub } from "../../../ledger/index.ts";
import type { NodeLedger } from "../../../node/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { untilStopped } from "../../frame/until-stopped.ts";
import { recordCheckpoint } from "./record-checkpoint.ts";
import { hubOptions, hubSettings } from "./hub-options.ts";

export const hubRun: Command = {
  needs: "settings",
  keepsLog: true,
  options: [
    bucketOption,
    {
      flag: "--interval",
      value: "time",
      summary: "the interval between two checks",
      default: "1m",
    },
    ...hubOptions,
  ],
  examples: [
    { line: "forager hub run --bucket s3://fleet", summary: "be the hub if no other node is" },
  ],
  details: [
    "Runs until it is stopped; `forager ledger compact` does it once. Several nodes may run it: one holds\n" +
      "the lease, the others wait. Others may write to the ledger of this data folder meanwhile.\n" +
      "Refuses a store without reliable conditional writes.",
  ],

  async run(context) {
    const { log, out, clock, flags, signal } = context;
    await using bucket = await openFleetBucket(fleetOf(context), "hub");
    const address = await existingBucketAddress(fleetOf(context));
    const withLedger = async <T>(use: (ledger: NodeLedger) => Promise<T>): Promise<T> => {
      await using opened = await openNodeOf(context);
      return await use(opened.ledger); // before it is closed
    };
    const node = await withLedger(async (ledger) => (await ledger.status()).node);
    const recordOne = recordCheckpoint({
      bucket: address,
      withLedger,
      note: (text) => out.note(text),
    });
    let checkpoints = 0;
    const hub = createHub({
      ...(await hubSettings(context)),
      bucket,
      clock,
      random: systemRandom,
      log,
      owner: node,
      intervalMs: parseDuration("interval", textFlag(flags, "interval") ?? "1m"),
      async onCheckpoint(manifest) {
        checkpoints += 1;
        out.note(`checkpoint ${manifest.number} was made`);
        await recordOne(manifest);
      },
    });
    await hub.start();
    out.note(`${node} waits to become the hub`);
    await untilStopped(signal);
    await hub.stop();
    out.result({ checkpoints }, `made ${countOf(checkpoints, "checkpoint")}`);
    return "stopped";
  },
};
