import type { Clock, Timer } from "../base/clock.ts";
import type { GateView, Pace } from "../queue/index.ts";
import type { InFlightTask } from "./in-flight-task.ts";

export interface GateRunOptions {
  readonly gate: string;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly offer: (task: InFlightTask) => void;
}

/**
 * The tasks of one owned gate that this worker holds. Always:
 * - start to start at least `delayMs` apart on the monotonic clock, at most `limit` at once;
 * - one task at a time is offered to the worker; until it has begun, or was refused, no other is,
 *   so that a moment missed for want of a slot shifts the rest and is never caught up;
 * - a waiting task takes no slot of the worker.
 *
 * A class, since a hundred thousand gates share its methods: as closures they were 3 kB for each.
 */
export class GateRun {
  readonly gate: string;
  delayMs: number;
  limit: number;
  waiting: InFlightTask[] = [];
  atWork = 0;
  /** Among the runs of the worker. */
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

  /** Offers what may start now, or comes back when it may. */
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

  /** Whether the offered task may really begin; if not it waits again. */
  mayBegin(task: InFlightTask): boolean {
    if (this.#leftMs() <= 0 && this.atWork < this.limit) return true;
    // The delay was lengthened while the task waited for a slot.
    this.waiting.unshift(task);
    this.refused();
    return false;
  }

  /** It began: to be called when the handler has been, so that the moment is not too early. */
  began(): void {
    this.#isOffering = false;
    this.atWork += 1;
    this.markStart();
  }

  /** The request went out later than the handler was called. */
  markStart(): void {
    this.#lastStartMs = this.#clock.monotonicMs();
    this.next();
  }

  /** The offered task will not begin. */
  refused(): void {
    this.#isOffering = false;
    this.next();
  }

  /** One that had begun is over. */
  ended(): void {
    this.atWork -= 1;
    this.next();
  }

  /** What an answer of the queue says of the gate. */
  follow({ delayMs, limit }: GateView): void {
    // The job's cap may have given this run less than its gate allows.
    const limitNow = Math.min(this.#limitMax, limit);
    if (delayMs === this.delayMs && limitNow === this.limit) return;
    this.delayMs = delayMs;
    this.limit = limitNow;
    this.next();
  }

  /** Takes all waiting tasks out of the run. */
  takeWaiting(): readonly InFlightTask[] {
    const taken = this.waiting;
    this.waiting = [];
    this.#timer?.cancel();
    return taken;
  }

  /** For the queue, which opens the gate that long after the last start; absent before it. */
  sinceStartMs(): number | undefined {
    if (this.#lastStartMs === -Infinity) return undefined;
    return this.#clock.monotonicMs() - this.#lastStartMs;
  }

  #leftMs(): number {
    // A sum of start and delay could be rounded down, and the gap come out short by that.
    return this.delayMs - (this.#clock.monotonicMs() - this.#lastStartMs);
  }
}
