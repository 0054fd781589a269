import type { Command } from "../command.ts";
import { fleetBucketAddress } from "../../app/index.ts";
import { checkConfigured } from "../doctor/configured-checks.ts";
import { checkBucket } from "../doctor/bucket-checks.ts";
import type { Finding } from "../doctor/check.ts";
import { checkSites } from "../doctor/site-checks.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { textFlag } from "../flags.ts";
import type { Tint } from "../table.ts";
import { openRawBucket } from "./bucket/open-bucket.ts";

const tints: Readonly<Record<Finding["state"], Tint>> = { ok: "good", warn: "warn", fail: "bad" };

export const doctor: Command = {
  needs: "settings",
  options: [
    {
      flag: "--bucket",
      value: "address",
      summary:
        "prove this bucket, not that of bucket.url: s3://BUCKET/PREFIX, dir:PATH, postgres://",
    },
  ],
  examples: [
    { line: "forager doctor", summary: "is this machine fit? exits 1 when a check fails" },
    { line: "forager doctor --data /mnt/disk", summary: "would that folder do?" },
    {
      line: "forager doctor --queue postgres://db.example/work",
      summary: "is that server fit for a queue, and well?",
    },
    { line: "forager doctor --bucket s3://fleet", summary: "what can that store really do?" },
    { line: "forager doctor --json", summary: "the findings for a program" },
  ],

  async run(context) {
    const { settings, loaded, paths, clock, out, flags } = context;
    const rows = [...(await runChecks(context)), ...(await checkConfigured({ loaded, paths }))];
    const configured = settings.bucket.url === undefined ? undefined : { settings, paths };
    const address =
      textFlag(flags, "bucket") ?? (configured && (await fleetBucketAddress(configured)));
    if (address !== undefined) {
      rows.push(...(await checkBucket({ open: () => openRawBucket(address), clock })));
    }
    rows.push(...(await checkSites(paths, context.signal)));
    out.table(rows, [
      { title: "check", value: (row) => row.check },
      { title: "state", value: (row) => row.state, tint: (row) => tints[row.state] },
      {
        title: "detail",
        value: (row) => (row.advice ? `${row.detail} - ${row.advice}` : row.detail),
        isNeverCut: true,
      },
    ]);
    if (rows.some((row) => row.state === "fail")) return "failed";
  },
};
