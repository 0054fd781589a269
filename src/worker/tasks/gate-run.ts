import type { Clock, Timer } from "../../base/clock.ts";
import type { GateView, Pace } from "../../queue/index.ts";
import type { InFlightTask } from "./in-flight-task.ts";

export interface GateRunOptions {
  readonly gate: string;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly offer: (task: InFlightTask) => void;
}

/**
 * The tasks of one owned gate that this worker holds. Invariants:
 * - there are at least `delayMs` between two starts on the monotonic clock, and at most `limit`
 *   tasks run at once;
 * - one task at a time is offered to the worker. The next one is offered only after it has started
 *   or was refused. So if no slot is free at the right time, all later starts move, and no start is
 *   made up for;
 * - a waiting task takes no slot of the worker.
 *
 * A class, because a hundred thousand gates share its methods; closures took 3 kB for each gate.
 */
export class GateRun {
  readonly gate: string;
  delayMs: number;
  limit: number;
  waiting: InFlightTask[] = [];
  atWork = 0;
  /** Its index among the runs of the worker. */
  place = -1;
  readonly #limitMax: number;
  readonly #clock: Clock;
  readonly #offer: (task: InFlightTask) => void;
  #lastStartMs = -Infinity;
  #isOffering = false;
  #timer: Timer | undefined;

  constructor({ gate, pace, clock, offer }: GateRunOptions) {
    this.gate = gate;
    this.delayMs = pace.delayMs;
    this.limit = pace.limit;
    this.#limitMax = pace.limit;
    this.#clock = clock;
    this.#offer = offer;
  }

  add(task: InFlightTask): void {
    this.waiting.push(task);
  }

  /** Offers the tasks that may start now, or sets a timer until the next one may. */
  next(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isOffering || this.waiting.length === 0 || this.atWork >= this.limit) return;
    const leftMs = this.#leftMs();
    if (leftMs > 0) {
      this.#timer = this.#clock.setTimer(leftMs, () => this.next());
      return;
    }
    this.#isOffering = true;
    this.#offer(this.waiting.shift()!);
  }

  /** True if the offered task may really start; otherwise it waits again. */
  mayBegin(task: InFlightTask): boolean {
    if (this.#leftMs() <= 0 && this.atWork < this.limit) return true;
    // The delay was made longer while the task waited for a slot.
    this.waiting.unshift(task);
    this.refused();
    return false;
  }

  /**
   * Call it after the handler of the task was called, so that the recorded time is not too early.
   */
  began(): void {
    this.#isOffering = false;
    this.atWork += 1;
    this.markStart();
  }

  /** Call it if the request was sent later than the handler was called. */
  markStart(): void {
    this.#lastStartMs = this.#clock.monotonicMs();
    this.next();
  }

  /** The offered task will not start. */
  refused(): void {
    this.#isOffering = false;
    this.next();
  }

  /** A started task has ended. */
  ended(): void {
    this.atWork -= 1;
    this.next();
  }

  /** Applies the state of the gate from an answer of the queue. */
  follow({ delayMs, limit }: GateView): void {
    // The cap of the job may have given this run fewer slots than the gate allows.
    const limitNow = Math.min(this.#limitMax, limit);
    if (delayMs === this.delayMs && limitNow === this.limit) return;
    this.delayMs = delayMs;
    this.limit = limitNow;
    this.next();
  }

  /** Removes all waiting tasks from the run and returns them. */
  takeWaiting(): readonly InFlightTask[] {
    const taken = this.waiting;
    this.waiting = [];
    this.#timer?.cancel();
    return taken;
  }

  /**
   * Time since the last start, from which the queue computes when the gate opens; undefined before
   * the first start.
   */
  sinceStartMs(): number | undefined {
    if (this.#lastStartMs === -Infinity) return undefined;
    return this.#clock.monotonicMs() - this.#lastStartMs;
  }

  #leftMs(): number {
    // Compares differences, because the sum of start and delay may be rounded down, so that the gap
    // is too short.
    return this.delayMs - (this.#clock.monotonicMs() - this.#lastStartMs);
  }
}
