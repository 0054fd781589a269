import { createBucket } from "../../../app/index.ts";
import { redactText } from "../../../base/log/redact.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { optionalAddressArgument, withAddress } from "./open-bucket.ts";

export const bucketCreate: Command = {
  needs: "settings",
  arguments: [optionalAddressArgument],
  examples: [
    { line: "forager bucket create s3://fleet?region=eu-west-1", summary: "at AWS" },
    {
      line: "forager bucket create 's3://fleet?endpoint=http://127.0.0.1:9000&region=us-east-1'",
      summary: "in MinIO, Ceph or another S3-compatible store",
    },
    { line: "forager bucket create dir:/mnt/shared/fleet", summary: "a folder that nodes share" },
  ],
  details: [
    "Also exits 0 if it already exists. `forager bucket probe` then checks that it can coordinate a fleet.",
    "Credentials come from AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  ],

  async run(context) {
    const { args, out } = await withAddress(context);
    const address = args[0] ?? "";
    const status = await asUsage(() => createBucket(address), ["bucket_address"]);
    const shown = redactText(address);
    const words = status === "created" ? "was created" : "already exists";
    out.result({ bucket: shown, status }, `${shown} ${words}`);
  },
};
