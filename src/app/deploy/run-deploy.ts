import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { packageFile } from "../../base/files/package-files.ts";
import { systemRandom } from "../../base/random.ts";
import { usageError } from "../../base/usage-error.ts";
import type { Settings } from "../../config/index.ts";
import {
  isHostName,
  loadDeploy,
  type DeployOptions,
  type DeployReport,
  type HostReport,
} from "../../ship/index.ts";

export interface RunDeployOptions {
  readonly settings: Pick<Settings, "fleet" | "deploy">;
  /** Empty: the hosts of `fleet.hosts`. */
  readonly hosts: readonly string[];
  /** A release folder, an archive, or the output of `npm run release`. */
  readonly from: string | undefined;
  /** The folder to which `from` is relative. */
  readonly cwd: string;
  readonly isRollback: boolean;
  /** For a rollback: the release to return to. */
  readonly to: string | undefined;
  readonly canary: string | undefined;
  /** `2` or `25%`. */
  readonly batch: string;
  readonly withinMs: number;
  readonly watchMs: number;
  readonly isDryRun: boolean;
  readonly owner: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onPreflight: (reports: readonly HostReport[]) => void;
  readonly onStep: (host: string, step: string) => void;
}

/** The time that remains for a confirmation before a host rolls back automatically. */
const marginMs = 60_000;

/** Deploys over the system's ssh. Throws `usage` for invalid hosts or releases. */
export async function runDeploy(options: RunDeployOptions): Promise<DeployReport> {
  const { settings, isRollback, clock, withinMs, watchMs } = options;
  const hosts = hostsOf(options);
  const { createRunBySsh } = await import("../../ship/deploy/adapters/ssh/run-by-ssh.ts");
  const { deployFleet, openReleaseSource } = await loadDeploy();
  await using source = isRollback ? undefined : await openReleaseSource(await releasePath(options));
  const common: Omit<DeployOptions, "releases"> = {
    ...options,
    hosts,
    run: createRunBySsh({ clock }),
    folder: settings.deploy.folder,
    restartCommand: settings.deploy.restartCommand,
    healthCommand: settings.deploy.healthCommand,
    batch: batchOf(options.batch, hosts.length),
    gate: { withinMs, watchMs, marginMs },
    random: systemRandom,
  };
  return await deployFleet({ ...common, releases: source?.releases });
}

function hostsOf({ hosts, settings }: RunDeployOptions): readonly string[] {
  const configured = settings.fleet.hosts === "" ? [] : settings.fleet.hosts.split(",");
  const chosen = hosts.length > 0 ? hosts : configured;
  if (chosen.length === 0) {
    throw usageError('name the hosts, or set them: hosts = ["pi-1", "pi-2"] in [fleet] of forager.toml'); // prettier-ignore
  }
  const wrong = chosen.find((host) => !isHostName(host));
  if (wrong !== undefined) throw usageError(`'${wrong}' is not a host: HOST, USER@HOST, or a name of ~/.ssh/config`); // prettier-ignore
  return chosen;
}

/** At least one host, and at most all. */
function batchOf(text: string, hosts: number): number {
  const [, amount = "", percent] = /^(\d{1,4})(%?)$/.exec(text) ?? [];
  const count = percent === "%" ? Math.floor((hosts * Number(amount)) / 100) : Number(amount);
  if (amount === "" || Number(amount) < 1) throw usageError(`--batch takes a number of hosts or a share such as 25%, not '${text}'`); // prettier-ignore
  return Math.min(Math.max(1, count), hosts);
}

/**
 * The given release, or the one built from this checkout, or the one from which this program runs.
 */
async function releasePath({ from, cwd }: RunDeployOptions): Promise<string> {
  if (from !== undefined) return resolve(cwd, from);
  const { findCheckedRelease, isCheckout } = await loadDeploy();
  const folder = packageFile(".");
  if (isCheckout(folder)) return await findCheckedRelease(folder);
  if (existsSync(join(folder, "release.json"))) return folder.replace(/\/$/, "");
  throw usageError("this program was not installed from a release: name one with --from");
}
