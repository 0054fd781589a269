/**
 * A machine that exports addresses under a name, as a separate process. Arguments: options as JSON.
 * Prints "delivered" when the file exists; with `hangs` it then waits to be killed.
 */
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { createPaths } from "../../config/index.ts";
import type { EmailRow } from "../../records/index.ts";
import { openNamedExport } from "../exchange/export-names.ts";

export interface ExportProgramOptions {
  readonly data: string;
  /** The fleet's bucket; absent if there is none. */
  readonly bucket?: string | undefined;
  readonly addresses: readonly string[];
  readonly to: string;
  readonly hangs?: boolean;
  readonly leaseTimes?: { readonly ttlMs: number; readonly marginMs: number };
}

if (process.argv[1]?.endsWith("export-program.ts")) {
  await main(JSON.parse(process.argv[2] ?? "{}") as ExportProgramOptions);
}

async function main(options: ExportProgramOptions): Promise<void> {
  const { data, bucket, addresses, to, hangs, leaseTimes } = options;
  await using named = await openNamedExport(
    {
      paths: createPaths(data),
      settings: { bucket: { ...(bucket !== undefined && { url: bucket }) }, node: {} },
      clock: systemClock,
      signal: new AbortController().signal,
      ...(leaseTimes && { leaseTimes }),
    },
    "crm",
  );
  const rows = addresses.map((value) => ({ contact: { value } }) as EmailRow);
  const wanted = rows.filter((row) => named.emails.isWanted(row));
  for (const row of wanted) named.emails.onWritten(row);
  await named.confirm();
  await writeFileAtomic(to, JSON.stringify(wanted.map(({ contact }) => contact.value)));
  process.stdout.write("delivered\n");
  // The lease is renewed meanwhile, as if writing the file took long.
  if (hangs === true) await sleep(systemClock, 3_600_000);
  await named.commit(systemClock.nowMs());
}
