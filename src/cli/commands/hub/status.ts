import { openRetryingFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import { systemRandom } from "../../../base/random.ts";
import { createLease, type LeaseView } from "../../../bucket/index.ts";
import { findNewestManifest, hubLease } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";

export const hubStatus: Command = {
  needs: "settings",
  options: [bucketOption],
  examples: [
    {
      line: "forager hub status --bucket s3://fleet",
      summary: "show the hub and its progress",
    },
  ],

  async run(context) {
    const { out, clock } = context;
    await using bucket = await openRetryingFleetBucket(fleetOf(context));
    const lease = createLease({ bucket, name: hubLease, owner: "", clock, random: systemRandom });
    const [view, newest] = [await lease.show(), await findNewestManifest(bucket)];
    const hub = view && {
      node: view.record.owner,
      epoch: view.record.epoch,
      state: stateOf(view),
      ageMs: view.ageMs,
    };
    const { manifest } = newest ?? {};
    const checkpoint = manifest && {
      number: manifest.number,
      epoch: manifest.epoch,
      madeAtMs: manifest.madeAtMs,
      sessions: manifest.vector.size,
      datagrams: [...manifest.vector.values()].reduce((sum, number) => sum + number, 0),
      quarantined: manifest.heldBack.length,
    };
    const who = hub
      ? `hub ${hub.node}, epoch ${hub.epoch}, ${hub.state}, heard ${formatDuration(hub.ageMs)} ago`
      : "there was no hub yet";
    const what = checkpoint
      ? `checkpoint ${checkpoint.number} of ${formatMoment(checkpoint.madeAtMs)}: ` +
        `${countOf(checkpoint.datagrams, "datagram")} of ${countOf(checkpoint.sessions, "session")}, ` +
        `${checkpoint.quarantined} quarantined`
      : "there is no checkpoint";
    out.result({ hub: hub ?? null, checkpoint: checkpoint ?? null }, `${who}\n${what}`);
  },
};

/** A released lease is free, even if it would not have expired yet. */
const stateOf = ({ record, isExpired }: LeaseView) =>
  record.state === "held" && isExpired ? "expired" : record.state;
