import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { callHost, isConnectionLost, type HostAccess } from "./host-call.ts";

export interface SwitchOptions {
  readonly access: HostAccess;
  readonly clock: Clock;
  readonly id: string;
  readonly hasSudo: boolean;
  readonly gate: HealthGate;
  /** Who deploys, for the host's log. */
  readonly owner: string;
  readonly restartCommand: string;
  /** If undefined, the host asks systemd and `forager status`. */
  readonly healthCommand: string | undefined;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

/** How long a release must be healthy before it is confirmed. */
export interface HealthGate {
  /** It must become healthy within this time after the switch began, including the restart. */
  readonly withinMs: number;
  /** Then it must stay healthy for this long, without a restart. */
  readonly watchMs: number;
  /** The time left for the confirmation. After all three periods the host rolls back by itself. */
  readonly marginMs: number;
}

/**
 * - `confirmed`: the release runs and stayed healthy;
 * - `rolled_back`: it did not, and the host runs the previous release again;
 * - `unknown`: the connection was lost and could not be restored. The host rolls back by itself,
 *   unless it received a confirmation just before.
 */
export interface SwitchOutcome {
  readonly kind: "confirmed" | "rolled_back" | "unknown";
  /** Why the release was not confirmed. */
  readonly why?: string;
  /** The last log lines of the release that failed. */
  readonly log?: readonly string[];
}

const pollMs = 2_000;
const confirmAttemptsMax = 5;
const undoMs = 700_000;

/** The host rolls back after this time unless the release was confirmed. */
export const undoAfterMs = ({ withinMs, watchMs, marginMs }: HealthGate): number =>
  withinMs + watchMs + marginMs;

/**
 * Switches a host to a release that it already has, and watches it. The host then waits for
 * `settleHost`. Resolves to the reason to roll back, or to undefined if the release may stay.
 */
export async function trySwitch(host: string, options: SwitchOptions): Promise<string | undefined> {
  const { access, clock, id, hasSudo, gate, owner, restartCommand, onStep, signal } = options;
  const startMs = clock.monotonicMs();
  const undoSeconds = String(Math.ceil(undoAfterMs(gate) / 1_000));
  try {
    onStep("switching");
    const args = [id, undoSeconds, restartCommand, owner];
    await callHost(host, access, { action: "switch_to", args, hasSudo, timeoutMs: gate.withinMs, signal }); // prettier-ignore
    onStep("watching");
    await watch(host, options, startMs);
    return undefined;
  } catch (error) {
    return reasonOf(host, error);
  }
}

/** Confirms the release, or rolls back if there is a reason to. */
export async function settleHost(
  host: string,
  options: SwitchOptions,
  why: string | undefined,
): Promise<SwitchOutcome> {
  if (why !== undefined) return await goBack(host, options, why);
  try {
    options.onStep("confirming");
    await confirm(host, options);
    return { kind: "confirmed" };
  } catch (error) {
    return await goBack(host, options, reasonOf(host, error));
  }
}

/** Rethrows bugs. */
function reasonOf(host: string, error: unknown): string {
  if (!(error instanceof AppError) || error.kind === "internal") throw error;
  const { message } = error;
  return message.startsWith(`${host}: `) ? message.slice(host.length + 2) : message;
}

/** Resolves if the host becomes healthy in time and stays healthy. */
async function watch(host: string, options: SwitchOptions, startMs: number): Promise<void> {
  const { access, clock, id, hasSudo, gate, healthCommand = "", signal } = options;
  const untilMs = startMs + gate.withinMs;
  let healthy: { readonly sinceMs: number; readonly pid: string } | undefined;
  let last = "no answer";
  while (true) {
    const isLast = healthy !== undefined && clock.monotonicMs() >= healthy.sinceMs + gate.watchMs;
    const args = [id, healthCommand, isLast ? "yes" : "no"];
    const answer = await callHost(host, access, { action: "health", args, hasSudo, signal }).catch(
      (error: unknown) => {
        if (!isConnectionLost(error)) throw error;
        last = (error as Error).message;
        return undefined;
      },
    );
    const nowMs = clock.monotonicMs();
    const pid = answer?.get("pid")?.[0] ?? "";
    if (answer?.get("healthy")?.[0] === "yes") {
      if (healthy && healthy.pid !== pid) throw unhealthy(host, "its process was restarted");
      if (isLast) return;
      healthy ??= { sinceMs: nowMs, pid };
    } else if (answer) {
      last = answer.get("why")?.[0] || "it gives no reason";
      if (answer.get("current")?.[0] !== id)
        throw unhealthy(host, "the host rolled back by itself");
      if (healthy) throw unhealthy(host, `no longer healthy: ${last}`);
    }
    const endMs = healthy ? healthy.sinceMs + gate.watchMs + gate.marginMs : untilMs;
    if (nowMs >= endMs) throw unhealthy(host, `not healthy within ${Math.round(gate.withinMs / 1_000)} s: ${last}`); // prettier-ignore
    const restMs = (healthy ? healthy.sinceMs + gate.watchMs : untilMs) - nowMs;
    await sleep(clock, answer ? Math.min(pollMs, Math.max(1, restMs)) : pollMs, signal);
  }
}

/** Uses new connections, so that a host that can no longer be reached rolls back. */
async function confirm(host: string, { access, clock, hasSudo, signal }: SwitchOptions) {
  for (let attempt = 1; ; attempt++) {
    try {
      await callHost(host, access, { action: "confirm", hasSudo, timeoutMs: 20_000, signal });
      return;
    } catch (error) {
      if (!isConnectionLost(error) || attempt === confirmAttemptsMax) throw error;
      await sleep(clock, pollMs, signal);
    }
  }
}

/** Not cancelled by the signal: a host is never left between two releases. */
async function goBack(host: string, options: SwitchOptions, why: string): Promise<SwitchOutcome> {
  const { access, clock, hasSudo, healthCommand = "", gate, onStep } = options;
  onStep(`rolling back: ${why}`);
  const logArgs = { action: "last_lines", args: [healthCommand], hasSudo, timeoutMs: 20_000 };
  const lines = await callHost(host, access, logArgs).catch(() => undefined);
  const log = lines?.get("line");
  const untilMs = clock.monotonicMs() + undoAfterMs(gate);
  while (true) {
    try {
      const answer = await callHost(host, access, { action: "roll_back", args: [why.replaceAll(/\s+/g, " ").slice(0, 500)], hasSudo, timeoutMs: undoMs }); // prettier-ignore
      const outcome = answer.get("outcome")?.[0];
      // The confirmation had arrived; only the answer to it was lost.
      if (outcome === "confirmed") return { kind: "confirmed" };
      return { kind: "rolled_back", why, ...(log && { log }) };
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (clock.monotonicMs() >= untilMs) return { kind: "unknown", why };
      await sleep(clock, pollMs);
    }
  }
}

const unhealthy = (host: string, why: string) =>
  new AppError("unavailable", "deploy_unhealthy", `${host}: ${why}`);
