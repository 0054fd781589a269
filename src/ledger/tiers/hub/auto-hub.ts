import { AppError } from "../../../base/app-error.ts";
import type { Timer } from "../../../base/clock.ts";
import type { Service } from "../../../base/service.ts";
import {
  createLease,
  leaseMarginMsDefault,
  leaseTtlMsDefault,
  requireFitness,
  type LeaseView,
} from "../../../bucket/index.ts";
import { compactOnce, type HubOptions } from "./hub.ts";
import { missingHubRights } from "./hub-rights.ts";
import { hubLease } from "../keys.ts";

/**
 * When a node does the hub's work:
 * - `auto`: if no other node did it for most of a day, or if much is new, provided that a probe
 *   shows the rights that a hub needs;
 * - `always`: soon after something is new, without a probe;
 * - `never`: it leaves the work to others.
 */
export type HubMode = "auto" | "always" | "never";

/** What a node reports about its hub role in its heartbeat. */
export interface HubAbility {
  /** "unknown": there was nothing to do yet, so the rights were not probed. */
  readonly state: "able" | "unable" | "never" | "unknown";
  /** Why it is unable. */
  readonly why?: string;
}

export interface AutoHubOptions extends Omit<HubOptions, "intervalMs" | "probe" | "signal"> {
  readonly mode: Exclude<HubMode, "never">;
  /** How many datagrams beyond the checkpoint are worth another checkpoint. Makes no request. */
  readonly beyond: () => Promise<number>;
  /** Switches to the newest checkpoint: what others have folded is not beyond it any more. */
  readonly catchUp: () => Promise<unknown>;
  /** Called when the ability has changed. */
  readonly onAbility?: (ability: HubAbility) => void;
  readonly timing?: Partial<AutoHubTiming>;
}

export interface AutoHubTiming {
  /**
   * The time between two checks of what is beyond the checkpoint. A check that finds nothing makes
   * no request.
   */
  readonly lookMs: number;
  readonly firstLookMs: number;
  /** How long after the last work of any hub a small number of datagrams is worth a checkpoint. */
  readonly restMs: number;
  /** The same for a large number. */
  readonly busyRestMs: number;
  /** From how many datagrams on the number is large. */
  readonly many: number;
  /** The pause after a probe that showed missing rights. */
  readonly unableMs: number;
}

const hourMs = 3_600_000;
const timings: Readonly<Record<AutoHubOptions["mode"], AutoHubTiming>> = {
  auto: {
    lookMs: 900_000,
    firstLookMs: 15_000,
    restMs: 20 * hourMs,
    busyRestMs: 600_000,
    many: 10_000,
    unableMs: 24 * hourMs,
  },
  always: {
    lookMs: 60_000,
    firstLookMs: 5_000,
    restMs: 0,
    busyRestMs: 0,
    many: 0,
    unableMs: 0,
  },
};

export interface AutoHub extends Service {
  ability(): HubAbility;
}

/**
 * Does the hub's work on a node by itself. Requests: none while nothing is new; at most one GET for
 * each check while something is; about 20 and one for each new segment when it does the work, which
 * one node of a fleet does about once a day.
 */
export function createAutoHub(options: AutoHubOptions): AutoHub {
  const { mode, bucket, clock, random, log, owner, beyond } = options;
  const timing: AutoHubTiming = { ...timings[mode], ...options.timing };
  const { ttlMs = leaseTtlMsDefault, marginMs = leaseMarginMsDefault } = options;
  const lease = createLease({ bucket, name: hubLease, owner, clock, random, ttlMs, marginMs });
  const stopping = new AbortController();
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let ability: HubAbility = { state: mode === "always" ? "able" : "unknown" };
  /** Until then no requests are made, however much is new. */
  let quietUntilMs = -Infinity;
  /** The last known work of any hub. */
  let workedAtMs = -Infinity;
  let failure = "";

  const setAbility = (next: HubAbility) => {
    if (next.state === ability.state && next.why === ability.why) return;
    ability = next;
    options.onAbility?.(next);
  };
  const isDue = async () => {
    const count = await beyond();
    const restMs = count >= timing.many ? timing.busyRestMs : timing.restMs;
    const nowMs = clock.monotonicMs();
    return count > 0 && nowMs >= quietUntilMs && nowMs - workedAtMs >= restMs;
  };
  const noteLease = (view: LeaseView | undefined) => {
    if (view) workedAtMs = Math.max(workedAtMs, clock.monotonicMs() - view.ageMs);
    return view?.record.state === "held" && !view.isExpired;
  };
  const hasRights = async () => {
    if (mode === "always" || ability.state === "able") return true;
    const missing = await missingHubRights(bucket);
    if (missing.length === 0) {
      setAbility({ state: "able" });
      return true;
    }
    const why = `this node may not ${missing.join(", ")}`;
    if (ability.why !== why) {
      log.warn("this node cannot be the hub: its user lacks rights in the bucket", { why });
    }
    setAbility({ state: "unable", why });
    quietUntilMs = clock.monotonicMs() + timing.unableMs;
    return false;
  };

  const visit = async () => {
    if (!(await isDue())) return;
    if (noteLease(await lease.show())) {
      // Another process does it, perhaps for long: a hub that a person started.
      quietUntilMs = clock.monotonicMs() + Math.min(hourMs, timing.restMs);
      return;
    }
    if (!(await isDue())) return;
    await options.catchUp();
    if (!(await isDue()) || stopping.signal.aborted) return;
    if (!(await hasRights())) return;
    await requireFitness({ bucket, clock, random, probe: "daily" });
    // The probes take a while: another node may have done the work meanwhile.
    if (noteLease(await lease.show()) || !(await isDue())) return;
    const done = await compactOnce({ ...options, probe: "daily", signal: stopping.signal });
    if (done.status === "done") workedAtMs = clock.monotonicMs();
    for (const fault of done.faults) log.error("the ledger has failed", { fault });
  };
  const look = async () => {
    try {
      await visit();
      failure = "";
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "bucket_forbidden") setAbility({ state: "unable", why: error.message });
      // The next check tries again. An unchanged failure is logged once.
      if (error.message !== failure) log.warn("the hub could not finish its work", { error });
      failure = error.message;
    }
  };
  const arm = (delayMs: number) => {
    if (stopping.signal.aborted) return;
    // With jitter, so that the nodes of a fleet do not all come at once.
    const waitMs = delayMs * (0.5 + random.next());
    timer = clock.setTimer(waitMs, () => void (work = look().finally(() => arm(timing.lookMs))), {
      background: true,
    });
  };

  return {
    ability: () => ability,
    async start() {
      arm(timing.firstLookMs);
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await work;
    },
  };
}
