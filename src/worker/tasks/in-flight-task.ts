import { AppError } from "../../base/app-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { LeasedTask } from "../../queue/index.ts";
import type { RecordedLease } from "../processes/crash-record.ts";
import type { GateRun } from "./gate-run.ts";
import type { HandledTask, HandlerContext } from "../handler.ts";
import type { KindState } from "./kind-state.ts";

/** Why a handler is aborted. */
export type AbortCause = "lease_lost" | "timed_out" | "stopping";

/** What all tasks of a worker share. */
export interface Shared {
  readonly services: unknown;
  readonly servicesFor: ((onRequest: () => void) => unknown) | undefined;
  readonly logger: Logger;
  readonly markStart: (task: InFlightTask) => void;
}

/**
 * One leased task, and the context of its handler.
 *
 * waiting → working   started: its handler was called
 * waiting → ended     released, or its lease was lost before it started
 * working → ended     its outcome is decided: by the handler, the time limit, the lease or a stop
 *
 * `isSettled` is independent of that: a handler may still run after its task has ended. Its slot is
 * taken until it settles or is abandoned. A class, because a million tasks share its getters, and
 * signal and logger are created only for handlers that use them.
 */
export class InFlightTask implements HandlerContext, RecordedLease {
  readonly lease: LeasedTask;
  readonly kind: KindState;
  readonly run: GateRun | undefined;
  readonly #shared: Shared;
  state: "waiting" | "working" | "ended" = "waiting";
  isSettled = false;
  /** By this worker's monotonic clock; the lease certainly lasts until then. */
  deadlineMs: number;
  startedAtMs = 0;
  /** The delay between two starts that its gate asked for when it started. */
  delayMs = 0;
  /** When its handler reported requests to the host, in milliseconds after the start. */
  sentMs: number[] | undefined;
  /** Its index among the tasks in flight; -1: it is not in flight. */
  place = -1;
  /** Its slot in the crash record; -1: none. */
  slot = -1;
  /** The last progress note of its handler. */
  note: string | undefined;
  leaveCap: (() => void) | undefined;
  /** The number of requests of its handler so far, to buckets and websites. */
  requests = 0;
  #task: HandledTask<unknown> | undefined;
  #abort: AbortController | undefined;
  #cause: AbortCause | undefined;
  #log: Logger | undefined;
  #services: unknown;

  constructor(
    lease: LeasedTask,
    kind: KindState,
    run: GateRun | undefined,
    deadlineMs: number,
    shared: Shared,
  ) {
    this.lease = lease;
    this.kind = kind;
    this.run = run;
    this.deadlineMs = deadlineMs;
    this.#shared = shared;
  }

  get attempts(): number {
    return this.kind.handler.retry.attempts;
  }
  get task(): HandledTask<unknown> {
    return this.#task ?? this.lease;
  }
  /** Sets the payload that the schema returned. */
  setPayload(payload: unknown): void {
    if (payload !== this.lease.payload) this.#task = { ...this.lease, payload };
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#cause) this.#abort.abort(abortError(this.#cause, this));
    }
    return this.#abort.signal;
  }
  abort(cause: AbortCause): void {
    this.#cause ??= cause;
    this.#abort?.abort(abortError(this.#cause, this));
  }

  get progress(): (note: string) => void {
    return (note) => void (this.note = String(note).slice(0, 200));
  }
  get markStart(): () => void {
    return () => this.#shared.markStart(this);
  }
  get log(): Logger {
    const { id, kind, job, key, used } = this.lease;
    return (this.#log ??= this.#shared.logger.child({ taskId: id, kind, job, key, attempt: used }));
  }
  get services(): unknown {
    const { services, servicesFor } = this.#shared;
    if (!servicesFor) return services;
    return (this.#services ??= servicesFor(() => void (this.requests += 1)));
  }
}

const causes: Readonly<Record<AbortCause, string>> = {
  lease_lost: "its lease was lost: another worker may have it",
  timed_out: "its time is over",
  stopping: "the worker is stopping",
};

const abortError = (cause: AbortCause, { lease }: InFlightTask) =>
  new AppError("aborted", cause, `task ${lease.id} (${lease.kind}) was ended: ${causes[cause]}`);
