import { every } from "../base/every.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";
import type { Queue } from "../queue/index.ts";
import { decide, nextDecisionMs } from "./decide.ts";
import { occurrenceTask, scheduleJob } from "./occurrence-task.ts";
import { readSchedules, writeLast, type KnownSchedule } from "./schedule-store.ts";

export interface TickerOptions {
  /** The ledger of this node. It has the schedules of the whole fleet. */
  readonly ledger: Parameters<typeof readSchedules>[0] & Parameters<typeof writeLast>[0];
  /** Opened only when an occurrence is due, so that an idle node sends no requests. */
  readonly queue: () => Promise<Pick<Queue, "add" | "now" | "openJob">>;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Called after each look, for people: how many schedules there are, and when the next one is due.
   */
  readonly onLook?: (view: TickerView) => void;
}

export interface TickerView {
  readonly schedules: number;
  readonly nextMs: number | undefined;
}

/** How soon a new or changed schedule is noticed. Reading the ledger costs no request. */
const lookEveryMs = 5_000;

/**
 * Adds occurrences to the queue when they are due. Every node of a fleet may run one, without a
 * leader: an occurrence is a task whose key names the occurrence, so the queue stores it once.
 */
export function createTicker(options: TickerOptions): Service & { tick(): Promise<void> } {
  const { ledger, clock, log, onLook = () => {} } = options;
  /** For each schedule, the newest occurrence decided here, even if another node added it first. */
  const decided = new Map<string, number>();
  /** The queue's wall clock minus this machine's. */
  let aheadMs = 0;

  const lastOf = ({ schedule: { name, sinceMs }, lastMs }: KnownSchedule) =>
    Math.max(lastMs ?? -Infinity, decided.get(name) ?? -Infinity, sinceMs);

  async function tick(): Promise<void> {
    const known = await readSchedules(ledger);
    let nextMs: number | undefined;
    for (const one of known) {
      const nowMs = clock.nowMs() + aheadMs;
      const input = { schedule: one.schedule, lastMs: lastOf(one), nowMs };
      const dueMs = nextDecisionMs(input);
      if (dueMs !== undefined && dueMs <= nowMs) await addDue(one);
      else if (dueMs !== undefined) nextMs = Math.min(nextMs ?? Infinity, dueMs);
    }
    onLook({ schedules: known.length, nextMs });
  }

  async function addDue(one: KnownSchedule): Promise<void> {
    const { schedule } = one;
    const queue = await options.queue();
    // Use the store's clock, which is the same for all nodes.
    const { wallMs: nowMs } = await queue.now();
    aheadMs = nowMs - clock.nowMs();
    const decisions = decide({ schedule, lastMs: lastOf(one), nowMs });
    const newest = decisions.at(-1);
    if (!newest) return;
    const job = scheduleJob(schedule.name);
    await queue.openJob(job, schedule.overlap === "queue" ? { concurrency: 1 } : {});
    const answers = await queue.add(decisions.map((one) => occurrenceTask(schedule, one)));
    const refused = answers.find(({ status }) => status !== "added" && status !== "duplicate");
    if (refused) {
      const { name } = schedule;
      if (refused.status !== "closed") {
        log.warn(`no room in the queue for schedule ${name}; retrying`, { schedule: name });
        return;
      }
      const advice = `\`forager queue retry --job ${job} --state skipped --yes\` opens it again`;
      log.error(`schedule ${name} does not run: its job ${job} was cancelled; ${advice}`);
    }
    decided.set(schedule.name, newest.atMs);
    const isNew = answers.some(({ status }) => status === "added");
    // Written only by the node that added the task first.
    if (isNew) await writeLast(ledger, schedule.name, newest.atMs);
  }

  const ticks = every(tick, {
    clock,
    pauseMs: lookEveryMs,
    onError: (error) => log.warn("schedules could not be checked; retrying", { error }),
  });
  return { tick, start: () => ticks.start(), stop: () => ticks.stop() };
}
