import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import {
  countedOnly,
  mergeSnapshots,
  type Metrics,
  type MetricsSnapshot,
} from "../../base/metrics.ts";
import type { Service } from "../../base/service.ts";
import { createDeadProcesses } from "./dead-processes.ts";
import type { Child, ChildEvents, DeadProcess, FromChild, ProcessSlot } from "./process-slot.ts";
import type { WorkerView } from "../worker-view.ts";

/**
 * Keeps a worker process running in every slot. Invariants:
 * - each slot has at most one process, and a process that dies is replaced: the first time at once,
 *   then after a growing delay, which is reset when a process has lasted a minute;
 * - a process that sends nothing for `watchdogMs` is killed, because its event loop is blocked. A
 *   process whose oldest call to the queue is older than twice that is killed too. A starting
 *   process has at least half a minute: a small or busy machine needs time to load a program, and
 *   kills would not help;
 * - the leases of a dead process are ended at once, and its counts are added;
 * - a changed slot is applied without dropping work: the concurrency by a message, anything else by
 *   stopping the process gracefully and starting another one.
 */
export interface Supervisor extends Service {
  setSlots(slots: readonly ProcessSlot[]): void;
  /** Stops at once: every process releases its tasks. */
  abort(): Promise<void>;
  /**
   * Resolves when every process has reported that it is drained. Rejects when a process exits
   * with code 2 before it has started working, because its input is wrong.
   */
  readonly drained: Promise<void>;
  /** After a stop: true if every process ended by itself with exit code 0. */
  isOrderly(): boolean;
  look(): readonly SlotView[];
  /** Makes processes that are stopping abort their handlers at once and release their tasks. */
  hurry(): void;
  /** Why the supervisor itself cannot work; undefined if it can. */
  fault(): string | undefined;
  /** The sum over all processes, including those that have ended. */
  metrics(): MetricsSnapshot;
}

export interface SlotView {
  readonly name: string;
  readonly state: "starting" | "running" | "stopping" | "waiting" | "drained";
  readonly pid: number | undefined;
  readonly restarts: number;
  /** As configured; `view` has the current number. */
  readonly concurrency: ProcessSlot["concurrency"];
  readonly view: WorkerView | undefined;
}

export interface SupervisorOptions {
  readonly slots: readonly ProcessSlot[];
  readonly spawn: (slot: ProcessSlot, events: ChildEvents) => Child;
  readonly watchdogMs: number;
  /** How long a process may take to stop before it is killed. */
  readonly stopMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const startMs = 30_000;
const restartMsMin = 1_000;
const restartMsMax = 60_000;
const lastedMs = 60_000;
/** A killed process ends at once, unless the kernel cannot end it. */
const killedMs = 30_000;

interface Place {
  slot: ProcessSlot;
  state: SlotView["state"];
  child: Child | undefined;
  view: WorkerView | undefined;
  snapshot: MetricsSnapshot;
  startedAtMs: number;
  lastMessageAtMs: number;
  stopBeforeMs: number;
  /** When it was first killed; undefined if it was not. */
  killedAtMs: number | undefined;
  deaths: number;
  restarts: number;
  timer: Timer | undefined;
  /** Not desired any more: it is not replaced when it ends. */
  isLeaving: boolean;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { spawn, clock, logger, watchdogMs, stopMs } = options;
  const places = new Map<string, Place>();
  const restarts = options.metrics.counter({
    name: "forager_worker_restarts_total",
    help: "Worker processes that were replaced, by the reason.",
    labels: ["reason"],
  });
  const processes = options.metrics.gauge({
    name: "forager_worker_processes",
    help: "Worker processes that are alive.",
  });
  options.metrics.onSnapshot(() => {
    processes.of().set([...places.values()].filter(({ child }) => child).length);
  });
  const dead = createDeadProcesses(options);
  let gone: MetricsSnapshot = [];
  let desired = options.slots;
  let isStopping = false;
  let isOrderly = true;
  const lookMs = Math.min(1_000, watchdogMs / 4);
  let lookedAtMs: number | undefined;
  let watch: Timer | undefined;
  const { promise: allGone, resolve: onAllGone } = Promise.withResolvers<void>();
  const {
    promise: drained,
    resolve: onDrained,
    reject: onImpossible,
  } = Promise.withResolvers<void>();
  drained.catch(() => {}); // handled by callers that await it

  function start(place: Place): void {
    place.timer = undefined;
    place.state = "starting";
    place.startedAtMs = place.lastMessageAtMs = clock.monotonicMs();
    place.killedAtMs = undefined;
    const child = spawn(place.slot, {
      onMessage: (message) => {
        if (place.child === child) handleMessage(place, message);
      },
      onExit: (how, gone) => {
        if (place.child === child) exited(place, how, gone);
      },
    });
    place.child = child;
    child.send({ kind: "begin", slot: place.slot });
  }

  function handleMessage(place: Place, message: FromChild): void {
    place.lastMessageAtMs = clock.monotonicMs();
    if (message.kind === "drained") place.state = "drained";
    else {
      if (place.state === "starting") {
        logger.info("worker process started", { worker: place.slot.name, pid: place.child?.pid });
        place.state = "running";
      }
      place.view = message.view;
      place.snapshot = message.metrics;
    }
  }

  function exited(place: Place, how: string, deadProcess: DeadProcess | undefined): void {
    const { slot, state } = place;
    if (deadProcess) dead.ended(deadProcess, place.snapshot);
    gone = mergeSnapshots([gone, countedOnly(place.snapshot)]);
    Object.assign(place, { child: undefined, view: undefined, snapshot: [] });
    if (place.isLeaving || isStopping) places.delete(slot.name);
    if (isStopping && how !== "code 0") isOrderly = false;
    if (isStopping) return places.size === 0 ? onAllGone() : undefined;
    if (state === "drained") {
      if ([...places.values()].every((one) => one.state === "drained")) onDrained();
      return;
    }
    if (place.isLeaving) return applySlots();
    if (state === "stopping") return start(place); // it is replaced because its slot has changed
    if (state === "starting" && how === "code 2") {
      const message = `worker ${slot.name} failed to start; see the error above`;
      return onImpossible(new AppError("invalid", "worker_cannot_begin", message));
    }
    restart(place, how);
  }

  function restart(place: Place, how: string): void {
    const hasLasted = clock.monotonicMs() - place.startedAtMs >= lastedMs;
    place.deaths = hasLasted ? 1 : place.deaths + 1;
    place.restarts += 1;
    place.state = "waiting";
    restarts.of(reasonWord(how)).add(1);
    const inMs =
      place.deaths === 1 ? 0 : Math.min(restartMsMax, restartMsMin * 2 ** (place.deaths - 2));
    logger.error("worker process ended and is replaced", {
      worker: place.slot.name,
      how,
      inMs,
      deaths: place.deaths,
    });
    place.timer = clock.setTimer(inMs, () => start(place));
  }

  function stopPlace(place: Place): void {
    place.timer?.cancel();
    if (!place.child) return void places.delete(place.slot.name);
    // A second "stop" means "at once", so do not send it twice by accident.
    if (place.state !== "stopping") place.child.send({ kind: "stop" });
    place.state = "stopping";
    place.stopBeforeMs = clock.monotonicMs() + stopMs;
  }

  /** Starts and stops processes until they match the settings. */
  function applySlots(): void {
    const byName = new Map(desired.map((slot) => [slot.name, slot]));
    for (const place of places.values()) {
      if (byName.has(place.slot.name) || place.isLeaving) continue;
      place.isLeaving = true;
      stopPlace(place);
    }
    for (const slot of desired) {
      const place = places.get(slot.name);
      if (place?.isLeaving) continue; // applied again when the process has ended
      if (place) change(place, slot);
      else add(slot);
    }
  }

  function add(slot: ProcessSlot): void {
    const place: Place = {
      slot,
      state: "starting",
      child: undefined,
      view: undefined,
      snapshot: [],
      startedAtMs: 0,
      lastMessageAtMs: 0,
      stopBeforeMs: Infinity,
      killedAtMs: undefined,
      deaths: 0,
      restarts: 0,
      timer: undefined,
      isLeaving: false,
    };
    places.set(slot.name, place);
    start(place);
  }

  function change(place: Place, slot: ProcessSlot): void {
    const before = place.slot;
    place.slot = slot;
    if (before.version !== slot.version) {
      logger.info("worker process is replaced: its settings changed", { worker: slot.name });
      if (place.child) stopPlace(place);
    } else if (JSON.stringify(before.concurrency) !== JSON.stringify(slot.concurrency)) {
      logger.info("concurrency changed", { worker: slot.name, concurrency: slot.concurrency });
      place.child?.send({ kind: "configure", concurrency: slot.concurrency });
    }
  }

  function look(): void {
    const nowMs = (lookedAtMs = clock.monotonicMs());
    for (const place of places.values()) {
      const { child, state, slot, lastMessageAtMs, stopBeforeMs, view } = place;
      if (!child) continue;
      const silentMs = state === "starting" ? Math.max(watchdogMs, startMs) : watchdogMs;
      const isSilent = nowMs - lastMessageAtMs > silentMs;
      const isDeaf = state === "running" && (view?.oldestCallMs ?? 0) > 2 * watchdogMs;
      const isLate = state === "stopping" && nowMs > stopBeforeMs;
      if (!isSilent && !isDeaf && !isLate) continue;
      const why = isSilent
        ? "it sent no heartbeat: its event loop is blocked"
        : isDeaf
          ? "one of its calls to the queue was never answered"
          : "it did not stop in time";
      logger.error("worker process is killed", { worker: slot.name, pid: child.pid, why });
      place.killedAtMs ??= nowMs;
      child.kill();
    }
    watch = clock.setTimer(lookMs, look, { background: true });
  }

  function fault(): string | undefined {
    const nowMs = clock.monotonicMs();
    if (lookedAtMs !== undefined && nowMs - lookedAtMs > 10 * lookMs) {
      return `worker processes were not checked for ${Math.round((nowMs - lookedAtMs) / 1_000)} s`;
    }
    const stuck = [...places.values()].find(
      ({ killedAtMs }) => killedAtMs !== undefined && nowMs - killedAtMs > killedMs,
    );
    return stuck && `worker ${stuck.slot.name} was killed and does not end`;
  }

  async function stop(isAtOnce: boolean): Promise<void> {
    isStopping = true;
    for (const place of places.values()) {
      stopPlace(place);
      if (isAtOnce) place.child?.send({ kind: "stop" });
    }
    if (places.size > 0) await allGone;
    await dead.settled();
    watch?.cancel();
    lookedAtMs = undefined;
  }

  return {
    drained,
    hurry() {
      for (const { state, child } of places.values())
        if (state === "stopping") child?.send({ kind: "stop" });
    },
    fault,
    isOrderly: () => isOrderly,
    async start() {
      applySlots();
      look();
    },
    stop: () => stop(false),
    abort: () => stop(true),
    setSlots(slots) {
      desired = slots;
      if (!isStopping) applySlots();
    },
    look: () =>
      [...places.values()].map(({ slot, state, child, restarts: count, view }) => ({
        name: slot.name,
        state,
        pid: child?.pid,
        restarts: count,
        concurrency: slot.concurrency,
        view,
      })),
    metrics: () =>
      mergeSnapshots([gone, dead.metrics(), ...[...places.values()].map((one) => one.snapshot)]),
  };
}

/** A label of a metric must have few values. */
const reasonWord = (how: string) =>
  /^SIG[A-Z]+$/.test(how) ? how : how.startsWith("code") ? "exit" : "other";
