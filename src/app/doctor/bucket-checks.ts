import { missingFolder } from "../bucket/bucket-folder.ts";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { probeBucket, type Bucket, type ProbeStep } from "../../bucket/index.ts";
import type { Finding } from "./check.ts";

export interface BucketChecksOptions {
  readonly address: string;
  readonly open: () => Promise<Bucket>;
  readonly clock: Clock;
}

/** Capabilities of a store and missing rights: one finding per step. */
export async function checkBucket({
  address,
  open,
  clock,
}: BucketChecksOptions): Promise<readonly (Finding & { readonly check: string })[]> {
  const missing = missingFolder(address);
  if (missing !== undefined) return [{ check: "bucket", state: "fail", detail: missing }];
  try {
    await using bucket = await open();
    const { steps, traits } = await probeBucket({ bucket, clock, random: systemRandom });
    const known = Object.entries(traits).map(([name, value]) => `${name}: ${value}`);
    return [
      { check: "bucket", state: "ok", detail: `answers (${known.join(", ")})` },
      ...steps.map((step) => ({ check: `bucket ${step.name}`, ...toFinding(step) })),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice =
      error.kind === "unavailable"
        ? "check the address, the network and that the server is up"
        : "not checked further because of this";
    return [{ check: "bucket", state: "fail", detail: error.message, advice }];
  }
}

function toFinding({ state, detail }: ProbeStep): Finding {
  switch (state) {
    case "ok":
      return { state: "ok", detail };
    case "forbidden":
      return { state: "fail", detail, advice: "a right is missing" };
    case "unknown":
      return { state: "fail", detail, advice: "try again when the store works" };
    case "fail":
      return {
        state: "fail",
        detail,
        advice: "no queue or hub runs on this store: use another one",
      };
  }
}
