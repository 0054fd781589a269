import {
  existingBucketAddress,
  openFleetBucket,
  openRetryingFleetBucket,
} from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { systemRandom } from "../../../base/random.ts";
import { compactOnce, findCopies, scrubNow, type Copies } from "../../../ledger/index.ts";
import type { NodeLedger } from "../../../node/index.ts";
import { fleetOf } from "../../options/bucket-option.ts";
import type { SettingsContext } from "../../frame/command.ts";
import { recordCheckpoint } from "../hub/record-checkpoint.ts";
import { hubSettings } from "../hub/hub-options.ts";

/** Pushes the erasures, and makes a checkpoint without the erased targets. */
export async function forgetInFleet(context: SettingsContext, ledger: NodeLedger): Promise<void> {
  const { clock, log, out } = context;
  await using bucket = await openFleetBucket(fleetOf(context), "hub");
  const address = await existingBucketAddress(fleetOf(context));
  await ledger.push({ bucket: address });
  const done = await compactOnce({
    ...(await hubSettings(context)),
    bucket,
    clock,
    random: systemRandom,
    log,
    owner: (await ledger.status()).node,
    onCheckpoint: recordCheckpoint({
      bucket: address,
      withLedger: (use) => use(ledger),
      note: (text) => out.note(text),
    }),
  });
  if (done.status !== "done")
    out.note("another node is the hub: its next checkpoint leaves it out");
  await scrubNow(bucket);
}

/** Finds the objects of the bucket that still contain a target. */
export async function copiesIn(context: SettingsContext, target: string): Promise<Copies> {
  await using bucket = await openRetryingFleetBucket(fleetOf(context));
  return findCopies(bucket, target);
}

/** The same as text. */
export const copiesLeft = ({ segments, archive, checkpoints }: Copies): readonly string[] => [
  ...(segments > 0 ? [`${countOf(segments, "datagram")} in segments, until they are pruned`] : []),
  ...(archive > 0 ? [`${countOf(archive, "datagram")} in the archive`] : []),
  ...(checkpoints.length > 0
    ? [`checkpoints ${checkpoints.join(", ")}, until they are pruned`]
    : []),
];
