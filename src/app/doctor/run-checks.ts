import { examineQueue } from "../queue/examine-queue.ts";
import { queueOptions } from "../queue/configured-queue.ts";
import type { LoadedSettings } from "../../config/index.ts";
import type { CheckContext, Finding, Check } from "./check.ts";
import { checkPostgres } from "./postgres-checks.ts";
import { checkClock } from "./clock-check.ts";
import { checkDataFolder } from "./data-folder-check.ts";
import { createDiskCheck } from "./disk-check.ts";
import { checkGossipKey } from "./gossip-key-check.ts";
import { checkLedger } from "./ledger-check.ts";
import { createNodeCheck } from "./node-check.ts";
import { checkSecrets } from "./secrets-check.ts";
import { createSqliteCheck } from "./sqlite-check.ts";
import { checkTempFolder } from "./temp-folder-check.ts";

/** The checks of `forager doctor`, in this order. Each backend adds a file and a line here. */
const checks: readonly Check[] = [
  createNodeCheck(),
  createSqliteCheck(),
  checkDataFolder,
  createDiskCheck(),
  checkTempFolder,
  checkClock,
  checkSecrets,
  checkGossipKey,
  checkLedger,
];

export interface NamedFinding extends Finding {
  readonly check: string;
}

/** All checks of this machine with these settings. */
export async function runChecks(
  context: Omit<CheckContext, "warnings"> & { readonly loaded: Pick<LoadedSettings, "warnings"> },
): Promise<readonly NamedFinding[]> {
  const { settings, loaded, paths, clock, signal } = context;
  const rows: NamedFinding[] = [];
  for (const check of checks) {
    const { warnings } = loaded;
    const finding = await check.run({ settings, paths, warnings, clock, signal });
    rows.push({ check: check.name, ...finding });
  }
  const { url, postgres } = settings.queue;
  rows.push(
    ...(await checkPostgres({
      examine: async () => examineQueue(url, await queueOptions(settings)),
      poolMax: postgres.poolMax,
    })),
  );
  return rows;
}
