import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { callHost, type HostAccess } from "./host-call.ts";
import { askHost, type HostReport } from "./preflight.ts";
import type { OpenRelease } from "./release-source.ts";
import type { RunRemotely } from "./remote.ts";
import { settleHost, trySwitch, undoAfterMs, type HealthGate, type SwitchOutcome } from "./switch-host.ts"; // prettier-ignore
import { upload } from "./upload.ts";

export interface DeployOptions {
  readonly hosts: readonly string[];
  readonly run: RunRemotely;
  /** Undefined for a roll-back to the previous release, or to the one in `to`. */
  readonly releases: readonly OpenRelease[] | undefined;
  readonly to?: string | undefined;
  /** The installation folder on each host. */
  readonly folder: string;
  readonly restartCommand: string;
  readonly healthCommand?: string | undefined;
  /** The host that is changed first. If undefined, the first of the list. */
  readonly canary?: string | undefined;
  /** How many hosts are changed at the same time after the canary. */
  readonly batch: number;
  readonly gate: HealthGate;
  readonly isDryRun: boolean;
  /** Who deploys: shown in the locks and in the logs of the hosts. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Called once, before anything is changed. */
  readonly onPreflight?: (reports: readonly HostReport[]) => void;
  readonly onStep?: (host: string, step: string) => void;
}

/**
 * `refused`, `planned` and `nothing`: no host was changed. `failed`: the roll-out stopped early.
 */
export interface DeployReport {
  readonly outcome: "done" | "nothing" | "planned" | "refused" | "failed";
  readonly hosts: readonly HostOutcome[];
}

export interface HostOutcome {
  readonly host: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** `waiting`: it keeps its current release, because the roll-out stopped before its turn. */
  readonly outcome: SwitchOutcome["kind"] | "same" | "refused" | "waiting";
  readonly why?: string;
  readonly log?: readonly string[];
}

const lockSeconds = 300;
const renewMs = 60_000;
const parallelMax = 4;

/**
 * Rolls a release out to hosts, or rolls hosts back to the previous release.
 *
 * 1. Checks every host; if any has a problem, nothing is changed.
 * 2. Takes the lock of every host, in the order of their names, so that two deploys cannot block
 *    each other.
 * 3. Uploads the release to all hosts.
 * 4. Switches the canary, watches it and confirms it, then the others in batches. If a host fails,
 *    its whole batch rolls back, and the remaining hosts keep what they have.
 * 5. Removes old releases and releases the locks, in every case.
 */
export async function deployFleet(options: DeployOptions): Promise<DeployReport> {
  const { run, folder, random, onPreflight, isDryRun } = options;
  const hosts = orderHosts(options);
  const access: HostAccess = { run, folder, token: createId(random, 16) };
  const rules = { ...options, access, hasOwnCommands: options.healthCommand !== undefined };
  const reports = await inParallel(hosts, hosts.length, (host) =>
    askHost(host, { ...rules, to: options.to }),
  );
  onPreflight?.(reports);
  const before = reports.map((report) => ({ ...report, from: report.current }));
  if (reports.some(({ problems }) => problems.length > 0)) {
    const refused = before.map(({ host, from, to, problems }): HostOutcome => {
      return { host, from, to, outcome: "refused", ...(problems.length > 0 && { why: problems.join("; ") }) }; // prettier-ignore
    });
    return { outcome: "refused", hosts: refused };
  }
  const due = before.filter(({ current, to }) => current !== to);
  const outcomes = new Map<string, HostOutcome>(
    before.map(({ host, from, to, current }) => [
      host,
      { host, from, to, outcome: current === to ? "same" : "waiting" },
    ]),
  );
  const result = (outcome: DeployReport["outcome"]) => ({ outcome, hosts: [...outcomes.values()] });
  if (due.length === 0) return result("nothing");
  if (isDryRun) return result("planned");
  await withLocks(due, { ...options, access }, async () => {
    await inParallel(due, parallelMax, (report) => bring(report, options, access));
    for (const batch of [due.slice(0, 1), ...chunks(due.slice(1), options.batch)]) {
      const ended = await changeBatch(batch, options, access);
      for (const { host, ...outcome } of ended) {
        outcomes.set(host, { ...outcomes.get(host)!, ...rest(outcome) });
      }
      if (ended.some(({ kind }) => kind !== "confirmed")) return;
    }
  });
  const isDone = [...outcomes.values()].every(({ outcome }) => outcome === "confirmed" || outcome === "same"); // prettier-ignore
  return result(isDone ? "done" : "failed");
}

const rest = ({ kind, why, log }: SwitchOutcome): Pick<HostOutcome, "outcome" | "why" | "log"> => ({
  outcome: kind,
  ...(why !== undefined && { why }),
  ...(log !== undefined && { log }),
});

function orderHosts({ hosts, canary }: DeployOptions): readonly string[] {
  const all = [...new Set(hosts)];
  if (canary === undefined) return all;
  if (!all.includes(canary)) throw new AppError("invalid", "deploy_canary", `the canary ${canary} is not one of the hosts ${all.join(", ")}`); // prettier-ignore
  return [canary, ...all.filter((host) => host !== canary)];
}

async function bring(report: HostReport, options: DeployOptions, access: HostAccess) {
  const { host, release, hasSudo } = report;
  if (!release) return;
  options.onStep?.(host, "uploading");
  const { files } = await upload(host, { access, release, hasSudo, lockSeconds, signal: options.signal }); // prettier-ignore
  options.onStep?.(host, `uploaded ${files} of ${release.files.size} files`);
}

/** Either all hosts of a batch are confirmed, or all roll back. */
async function changeBatch(
  batch: readonly HostReport[],
  options: DeployOptions,
  access: HostAccess,
): Promise<readonly (SwitchOutcome & { readonly host: string })[]> {
  const optionsOf = ({ host, to, hasSudo }: HostReport) => ({
    ...options,
    healthCommand: options.healthCommand,
    access,
    id: to!,
    hasSudo,
    onStep: (step: string) => options.onStep?.(host, step),
  });
  const tried = await inParallel(batch, batch.length, async (report) => ({
    report,
    why: await trySwitch(report.host, optionsOf(report)),
  }));
  const failed = tried.find(({ why }) => why !== undefined);
  return await inParallel(tried, tried.length, async ({ report, why }) => {
    const { host } = report;
    const reason = why ?? (failed && `${failed.report.host} in the same batch failed`);
    const outcome = await settleHost(host, optionsOf(report), reason);
    options.onStep?.(host, outcome.kind.replace("_", " "));
    return { host, ...outcome };
  });
}

/** Runs `work` while every host is locked. Renews the locks, and always releases them. */
async function withLocks(
  reports: readonly HostReport[],
  options: DeployOptions & { readonly access: HostAccess },
  work: () => Promise<void>,
): Promise<void> {
  const { access, owner, clock, gate, signal, onStep } = options;
  const seconds = String(Math.max(lockSeconds, Math.ceil(undoAfterMs(gate) / 1_000) + 120));
  const call = ({ host, hasSudo }: HostReport, action: string, args: readonly string[] = []) =>
    callHost(host, access, { action, args, hasSudo });
  const taken: HostReport[] = [];
  let timer: Timer | undefined;
  let renewing: Promise<unknown> = Promise.resolve();
  const renew = () => {
    timer = clock.setTimer(renewMs, () => {
      // If a renewal fails, the next step notices, because it requires the lock.
      const renewed = taken.map((report) =>
        call(report, "require_lock", [seconds]).catch(() => {}),
      );
      renewing = Promise.all(renewed).then(renew);
    });
  };
  try {
    for (const report of reports.toSorted((a, b) => (a.host < b.host ? -1 : 1))) {
      if (signal.aborted)
        throw new AppError("aborted", "deploy_aborted", "the deploy was cancelled");
      taken.push(report); // counted even if the answer was lost
      const answer = await call(report, "take_lock", [seconds, owner]);
      for (const id of answer.get("settled") ?? []) onStep?.(report.host, `rolled back from ${id}, which an earlier deploy had not confirmed`); // prettier-ignore
    }
    renew();
    await work();
  } finally {
    timer?.cancel();
    await renewing;
    timer?.cancel();
    await Promise.all(
      taken.map(async (report) => {
        // If a host cannot be reached, its lock expires, and the next deploy removes old releases
        // there.
        await call(report, "prune", [seconds]).catch(() => {});
        await call(report, "release_lock").catch(() => {});
      }),
    );
  }
}

/**
 * Runs at most `parallel` at a time. If one fails, waits for those already started, then throws the
 * first failure.
 */
async function inParallel<Item, Result>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const workers = Array.from({ length: Math.min(parallel, items.length) }, async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        failures.push(error);
      }
    }
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  return results;
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
