import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { GateView, LeasedTask } from "../../queue/index.ts";
import type { ResultReporter } from "./result-reporter.ts";
import { createUnorderedSet, type UnorderedSet } from "./unordered-set.ts";
import { attemptRecord, sentMax, type AttemptRecord } from "../attempt-record.ts";
import type { CrashRecord } from "../processes/crash-record.ts";
import type { Handler } from "../handler.ts";
import { outcomeOf, PermanentError, reasonOf } from "../failure.ts";
import { createCapLine } from "./cap-line.ts";
import { GateRun } from "./gate-run.ts";
import type { KindState, TaskEnd } from "./kind-state.ts";
import { copyOutcome, isOutcome, release, slowDownOf, type HandlerOutcome } from "../outcome.ts";
import type { Politeness } from "../politeness.ts";
import { queueOutcome } from "../queue-outcome.ts";
import { createSlots, type HandlerReturn } from "./slots.ts";
import { InFlightTask, type Shared } from "./in-flight-task.ts";

/**
 * The tasks that one worker holds: starts them when slots and gates allow, and decides how each one
 * ends. Invariants:
 * - a slot is taken exactly while a handler was called and has not settled (or was not abandoned);
 * - a handler that throws, hangs or answers late affects only its own task;
 * - a task is in flight until the queue has answered how it ended, or its lease is lost.
 */
export interface InFlightTasks {
  readonly take: (leases: readonly LeasedTask[], sentMs: number) => void;
  /** Starts tasks that wait for a slot. */
  readonly startReady: () => void;
  /** For how many more slots a claim is useful. */
  readonly room: () => number;
  readonly inFlight: () => UnorderedSet<InFlightTask>;
  readonly atWork: () => number;
  readonly waitingForCap: () => number;
  /** The number of handlers that still run after they were aborted, and whose slots were freed. */
  readonly abandoned: () => number;
  readonly setConcurrency: (concurrency: number) => void;
  readonly concurrency: () => number;
  /** Releases tasks that have not started, and starts no more. */
  readonly stopStarting: () => void;
  /** Aborts running handlers without an outcome: the attempt does not count. */
  readonly abortWorking: () => void;

  readonly timedOut: (task: InFlightTask) => void;
  readonly lost: (task: InFlightTask) => void;
  readonly ended: (task: InFlightTask, end: TaskEnd, gate: GateView | undefined) => void;
  readonly follow: (task: InFlightTask, gate: GateView) => void;
}

export interface InFlightTasksOptions {
  readonly kinds: ReadonlyMap<string, KindState>;
  readonly reporter: () => ResultReporter;
  readonly politeness: Politeness;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly services: unknown;
  readonly servicesFor: ((onRequest: () => void) => unknown) | undefined;
  readonly leaseMs: number;
  readonly concurrency: number;
  readonly record: CrashRecord | undefined;
  /** There may be something to start, store or claim. */
  readonly onChange: () => void;
  /**
   * A handler released a task: the worker claims no task of its kind for a while. `reason`: what
   * the node lacks.
   */
  readonly onReleased: (task: LeasedTask, reason: string | undefined) => void;
  /** Gets every attempt that was started, when it has ended. */
  readonly onAttempt?: ((attempt: AttemptRecord) => void) | undefined;
  /** The queue has recorded the outcome of an attempt. */
  readonly onRecorded?: ((task: LeasedTask) => void) | undefined;
  readonly onFatal: (error: unknown) => void;
}

const inFlightMax = 20_000;

export function createInFlightTasks(options: InFlightTasksOptions): InFlightTasks {
  const { kinds, reporter, politeness, clock, random, logger, record, onChange } = options;
  const inFlight = createUnorderedSet<InFlightTask>();
  const runs = createUnorderedSet<GateRun>();
  const ready: InFlightTask[] = [];
  const shared: Shared = {
    services: options.services,
    servicesFor: options.servicesFor,
    logger,
    markStart(task) {
      task.run?.markStart();
      if (!options.onAttempt || task.lease.gate === "") return;
      task.sentMs ??= [];
      const sentMs = clock.monotonicMs() - task.startedAtMs;
      if (task.sentMs.length < sentMax) task.sentMs.push(sentMs);
    },
  };
  /** Do not start a task whose lease may end before the next extension is answered. */
  const marginMs = Math.min(1_000, options.leaseMs / 6);
  let suspects = 0;
  let isStarting = true;

  function leave(task: InFlightTask, end: TaskEnd): void {
    if (!inFlight.delete(task)) return;
    task.kind.note(end);
    record?.ended(task, end);
    if (end !== "released" && end !== "lost") options.onRecorded?.(task.lease);
    if (task.lease.isSuspect) suspects -= 1;
    if (task.run) forgetIfOver(task.run);
  }

  function forgetIfOver(run: GateRun): void {
    if (run.waiting.length === 0 && run.atWork === 0) runs.delete(run);
  }

  function giveBack(task: InFlightTask): void {
    task.state = "ended";
    task.leaveCap?.();
    reporter().release(task);
    onChange();
  }

  /** Called when its gate lets it start: now it needs its cap, then a slot. */
  const caps = createCapLine({
    onReady(task) {
      ready.push(task);
      onChange();
    },
    onRefused: (task, error) => end(task, outcomeOf(error)),
  });

  const slots = createSlots({
    concurrency: options.concurrency,
    clock,
    logger,
    onReturn: judge,
    onFree(task) {
      const { run } = task;
      run?.ended();
      if (run && !inFlight.has(task)) forgetIfOver(run);
      onChange();
    },
    onFatal: options.onFatal,
  });

  function startReady(): void {
    while (slots.free() > 0 && ready.length > 0) {
      // Splice instead of repeated shift, which would move thousands of items each time.
      const batch = ready.splice(0, slots.free()).filter(mayStart);
      record?.starting(batch);
      for (const task of batch) start(task);
    }
  }

  /** False if the task does not start; what happens to it instead was already decided. */
  function mayStart(task: InFlightTask): boolean {
    if (task.state !== "waiting") {
      task.run?.refused();
      return false;
    }
    if (!isStarting || clock.monotonicMs() > task.deadlineMs - marginMs) {
      giveBack(task);
      task.run?.refused();
      return false;
    }
    if (task.run && !task.run.mayBegin(task)) {
      task.leaveCap?.();
      return false;
    }
    const { handler } = task.kind;
    let reason: string | undefined;
    try {
      // Its other attempts may have ended with their process, which could not apply this limit.
      if (task.lease.used > handler.retry.attempts) reason = noAttemptLeft(handler);
      else task.setPayload(handler.schema.parse(task.lease.payload));
    } catch (error) {
      reason = `its payload was refused: ${reasonOf(error)}`;
    }
    if (reason === undefined) return true;
    task.leaveCap?.();
    task.run?.refused();
    end(task, { kind: "fail", reason });
    return false;
  }

  function start(task: InFlightTask): void {
    if (task.state !== "waiting") return task.run?.refused();
    const { timeouts, started } = task.kind;
    task.state = "working";
    task.startedAtMs = clock.monotonicMs();
    task.delayMs = task.run?.delayMs ?? 0;
    started.add(1);
    timeouts.arm();
    slots.call(task);
  }

  function judge(task: InFlightTask, returned: HandlerReturn): void {
    if (task.state !== "working") return; // already decided by the time limit, the lease or a stop
    let outcome: HandlerOutcome;
    try {
      outcome = outcomeReturned(returned);
      if (outcome.kind === "done") task.kind.brought(outcome.result);
    } catch (error) {
      outcome = outcomeOf(error);
    }
    end(task, outcome);
  }

  function end(task: InFlightTask, outcome: HandlerOutcome): void {
    const { lease, kind, run } = task;
    if (task.state === "working") options.onAttempt?.(attemptRecord(task, outcome, clock));
    if (outcome.kind === "release") {
      const fields = { task: lease.id, kind: lease.kind, key: lease.key, reason: outcome.reason };
      const { isKindHeld = true, isLacking = isKindHeld } = outcome;
      if (isLacking) logger.warn("released a task to the queue: this node cannot do it", fields);
      else logger.debug("released a task to the queue", fields);
      if (isKindHeld) options.onReleased(lease, isLacking ? outcome.reason : undefined);
      task.state = "ended";
      reporter().release(task);
      return onChange();
    }
    task.state = "ended";
    if (lease.gate !== "") noteAnswer(task, outcome);
    reporter().finish(task, queueOutcome(outcome, kind.handler.retry, lease.used, random), outcome);
    if (run && slowDownOf(outcome)) run.takeWaiting().forEach(giveBack);
    onChange();
  }

  function noteAnswer({ lease, kind, startedAtMs }: InFlightTask, outcome: HandlerOutcome): void {
    const bounds = kind.handler.politeness?.(lease.gate);
    const slowDown = slowDownOf(outcome);
    if (slowDown) {
      const nowMs = clock.monotonicMs();
      politeness.slowDown(lease.gate, bounds, { ...slowDown, startedAtMs, nowMs });
    } else if (bounds && outcome.kind === "done") politeness.good(lease.gate, bounds);
  }

  function follow(task: InFlightTask, gate: GateView): void {
    const { run, kind, lease } = task;
    if (kind.handler.politeness) politeness.follow(lease.gate, gate);
    if (gate.blockedForMs > 0) {
      run?.takeWaiting().forEach(giveBack);
      if (!run && task.state === "waiting") giveBack(task);
    }
    run?.follow(gate);
  }

  /** The slots that waiting tasks of runs will need, based on the usual duration of their kind. */
  function reserved(): number {
    let sum = 0;
    for (const run of runs) {
      const [first] = run.waiting;
      if (!first) continue;
      const share = run.delayMs > 0 ? first.kind.meanMs / run.delayMs : run.limit;
      sum += Math.max(0, Math.min(run.limit, run.waiting.length, share) - run.atWork);
    }
    return sum;
  }

  return {
    take(leases, sentMs) {
      const newRuns = new Map<string, GateRun>();
      const taken: InFlightTask[] = [];
      for (const lease of leases) {
        const kind = kinds.get(lease.kind)!;
        const { gate, pace } = lease;
        let run = pace?.isRun ? newRuns.get(gate) : undefined;
        if (pace?.isRun && !run) {
          run = new GateRun({ gate, pace, clock, offer: caps.offer });
          newRuns.set(gate, run);
          runs.add(run);
        }
        const task = new InFlightTask(lease, kind, run, sentMs + options.leaseMs, shared);
        inFlight.add(task);
        taken.push(task);
        if (lease.isSuspect) suspects += 1;
        if (pace && kind.handler.politeness) {
          politeness.follow(gate, { ...pace, blockedForMs: 0 });
        }
        if (run) run.add(task);
      }
      record?.claimed(taken);
      for (const task of taken) if (!task.run) caps.offer(task);
      for (const run of newRuns.values()) run.next();
      startReady();
    },
    startReady,
    room() {
      if (!isStarting || suspects > 0 || inFlight.size >= inFlightMax) return 0;
      const free = slots.free() - ready.length - reserved();
      return Math.max(0, Math.min(Math.ceil(free), 2 * slots.concurrency() - caps.waiting()));
    },
    inFlight: () => inFlight,
    atWork: slots.atWork,
    waitingForCap: caps.waiting,
    abandoned: slots.abandoned,
    concurrency: slots.concurrency,
    setConcurrency(value) {
      slots.setConcurrency(value);
      onChange();
    },
    stopStarting() {
      isStarting = false;
      ready.length = 0;
      for (const task of inFlight) {
        if (task.state !== "waiting") continue;
        task.abort("stopping"); // the task may be waiting for its cap
        task.run?.takeWaiting();
        giveBack(task);
      }
    },
    abortWorking() {
      for (const task of inFlight) {
        if (task.state !== "working") continue;
        options.onAttempt?.(attemptRecord(task, release("the worker is stopping"), clock));
        task.state = "ended";
        slots.abortHandler(task, "stopping");
        reporter().release(task);
      }
      onChange();
    },
    timedOut(task) {
      if (task.state !== "working") return;
      const reason = `timed out: it took longer than ${task.kind.handler.timeoutMs} ms`;
      const isPaced = task.lease.gate !== "";
      end(task, { kind: "retry", reason, ...(isPaced && { slowDown: {} }) });
      slots.abortHandler(task, "timed_out");
    },
    lost(task) {
      if (!inFlight.has(task)) return;
      const wasWorking = task.state === "working";
      if (wasWorking) options.onAttempt?.(attemptRecord(task, { kind: "lost" }, clock));
      if (task.state === "waiting") task.abort("lease_lost");
      task.state = "ended";
      leave(task, "lost");
      logger.warn("the lease of a task was lost", { taskId: task.lease.id, kind: task.lease.kind });
      if (wasWorking) slots.abortHandler(task, "lease_lost");
      onChange();
    },
    ended(task, endedAs, gate) {
      if (!inFlight.has(task)) return;
      leave(task, endedAs);
      if (gate) follow(task, gate);
      onChange();
    },
    follow,
  };
}

const noAttemptLeft = ({ retry, kind }: Handler) =>
  `no attempt is left: the handler of ${kind} allows ${retry.attempts}`;

/** Rethrows the error of the handler. */
function outcomeReturned(returned: HandlerReturn): HandlerOutcome {
  if ("error" in returned) throw returned.error;
  const { value } = returned;
  if (value === undefined) return { kind: "done" };
  if (isOutcome(value)) return copyOutcome(value);
  throw new PermanentError("the handler returned no outcome: return done(result)");
}
