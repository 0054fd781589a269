import type { Command, SettingsContext } from "../../frame/command.ts";
import { fleetBucketAddress, loadDoctor, type Finding } from "../../../app/index.ts";
import { textFlag } from "../../options/flags.ts";
import type { Tint } from "../../terminal/table.ts";
import type { Bucket } from "../../../bucket/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import { roleNames, type RoleName } from "../../../infra/index.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { openRawBucket } from "../bucket/open-bucket.ts";

const tints: Readonly<Record<Finding["state"], Tint>> = { ok: "good", warn: "warn", fail: "bad" };

export const doctor: Command = {
  needs: "settings",
  options: [
    {
      flag: "--bucket",
      value: "address",
      summary: "check this bucket instead of bucket.url: s3://BUCKET/PREFIX, dir:PATH, postgres://",
    },
    {
      flag: "--permissions",
      summary: "also check the rights in the bucket; changes no data",
    },
    {
      flag: "--role",
      value: "role",
      summary: "the expected role (default: node)",
      choices: roleNames,
    },
  ],
  examples: [
    { line: "forager doctor", summary: "check this machine; exits 1 if a check fails" },
    { line: "forager doctor --data /mnt/disk", summary: "check another data folder" },
    {
      line: "forager doctor --queue postgres://db.example/work",
      summary: "check a PostgreSQL server for a queue",
    },
    {
      line: "forager doctor --bucket s3://fleet",
      summary: "check if a store can coordinate a fleet",
    },
    {
      line: "forager doctor --permissions --role hub",
      summary: "check that the key has exactly the rights of a hub",
    },
    { line: "forager doctor --json", summary: "the findings for a program" },
  ],

  async run(context) {
    const { settings, loaded, paths, clock, out, flags } = context;
    const { runChecks, checkConfigured, checkBucket, checkSites } = await loadDoctor();
    const rows = [...(await runChecks(context)), ...(await checkConfigured({ loaded, paths }))];
    const configured = settings.bucket.url === undefined ? undefined : { settings, paths };
    const address =
      textFlag(flags, "bucket") ?? (configured && (await fleetBucketAddress(configured)));
    if (address !== undefined) {
      const open = () => openRawBucket(address);
      const found = await checkBucket({ address, open, clock });
      rows.push(...found);
      if (flags["permissions"] === true)
        rows.push(...(await rightsOf(context, { address, open }, found)));
    } else if (flags["permissions"] === true) {
      throw usageError("there is no bucket to check: set bucket.url, or give one with --bucket");
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

type Row = Finding & { readonly check: string };

/**
 * Only for a store that honours conditional writes; in others the test requests would really write.
 */
async function rightsOf(
  context: SettingsContext,
  bucket: { readonly address: string; readonly open: () => Promise<Bucket> },
  found: readonly Row[],
): Promise<readonly Row[]> {
  if (found.some(({ state }) => state !== "ok")) {
    const detail = "not checked: the store must pass the checks above first";
    return [{ check: "rights", state: "fail", detail, advice: "fix those first" }];
  }
  const role = (textFlag(context.flags, "role") ?? "node") as RoleName;
  await using reader = await openReaderOf(context);
  const { node } = await reader.ledger.status();
  const policy = role === "publisher" ? undefined : context.settings.roles[role];
  const { checkRights } = await loadDoctor();
  return await checkRights({ ...bucket, clock: context.clock, role, node, policy });
}
