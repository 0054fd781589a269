import { hostname } from "node:os";
import { createFleetMember, openLedgerIn, type NodeWork } from "../../../app/index.ts";
import { systemRandom } from "../../../base/random.ts";
import type { Service } from "../../../base/service.ts";
import type { SettingsContext } from "../../command.ts";
import { readVersion } from "../../run-process.ts";
import { openFleetBucket } from "../ledger/bucket-option.ts";
import { fingerprintOf } from "./heartbeats.ts";

/** This process as a member of its fleet, with the ledger of its data folder and the bucket. */
export async function joinFleet(
  context: SettingsContext,
  work: NodeWork,
): Promise<Service & AsyncDisposable> {
  const { paths, settings, loaded, log, clock } = context;
  const ledger = await openLedgerIn({ paths, log });
  const bucket = settings.bucket.url === undefined ? undefined : await openFleetBucket(context);
  const member = createFleetMember({
    paths,
    ledger,
    bucket,
    work,
    version: readVersion(),
    label: hostname(),
    pid: process.pid,
    config: () => fingerprintOf(loaded),
    clock,
    random: systemRandom,
    log,
  });
  return {
    ...member,
    async [Symbol.asyncDispose]() {
      await member.stop();
      await ledger[Symbol.asyncDispose]();
      await bucket?.[Symbol.asyncDispose]();
    },
  };
}
