import type { Queue } from "./queue.ts";

/** What the audit log compares before and after a change. Undefined if the thing does not exist. */
export const auditedQueue = {
  async job(queue: Pick<Queue, "job">, name: string) {
    const job = await queue.job(name);
    if (!job) return undefined;
    const { isPaused, isSealed, ended, concurrency, budget, gate } = job;
    const { pending, running, done, skipped, failed } = job;
    return { isPaused, isSealed, ended, concurrency, budget, gate, pending, running, done, skipped, failed }; // prettier-ignore
  },
  async gate(queue: Pick<Queue, "gate">, name: string) {
    const gate = await queue.gate(name);
    return gate && { delayMs: gate.delayMs, limit: gate.limit, blockedUntilMs: gate.blockedUntilMs }; // prettier-ignore
  },
  async task(queue: Pick<Queue, "show">, id: number) {
    const shown = await queue.show(id);
    return shown && { state: shown.task.state, priority: shown.task.priority, dueAtMs: shown.task.dueAtMs }; // prettier-ignore
  },
  /** The number of tasks in each state, and in the log. */
  async counts(queue: Pick<Queue, "stats" | "logStats">) {
    return { ...(await queue.stats()).states, log: (await queue.logStats()).entries };
  },
};
