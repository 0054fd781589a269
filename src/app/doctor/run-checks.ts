import { examineQueue } from "../queue/examine-queue.ts";
import { queueOptions } from "../queue/configured-queue.ts";
import type { LoadedSettings } from "../../config/index.ts";
import type { CheckContext, Finding } from "./check.ts";
import { checks } from "./checks.ts";
import { checkPostgres } from "./postgres-checks.ts";

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
