import type { Queue, TaskInput } from "../../queue/index.ts";
import { site } from "./profile.ts";

export type LoadPayload = { readonly path: string };

/**
 * The jobs of a load test. Each crawls one made-up site of its own. A queue may be full (a shard
 * of a bucket holds so many tasks): what does not fit waits here, and its job is not sealed yet.
 */
export interface LoadJobs {
  open(pages: number): Promise<void>;
  /** Adds what did not fit before. */
  topUp(): Promise<void>;
  opened(): number;
  /** Tasks that the queue took. */
  added(): number;
}

interface Backlog {
  readonly job: string;
  readonly tasks: TaskInput[];
}

const batchMax = 1_000;

export function createLoadJobs(queue: Queue): LoadJobs {
  const backlogs: Backlog[] = [];
  let opened = 0;
  let added = 0;

  /** Whether all of it is in the queue now. */
  async function addAll({ job, tasks }: Backlog): Promise<boolean> {
    while (tasks.length > 0) {
      const batch = tasks.splice(0, batchMax);
      const answers = await queue.add(batch);
      const refused = batch.filter((_, at) => answers[at] === "full");
      added += batch.length - refused.length;
      tasks.unshift(...refused);
      if (refused.length > 0) return false;
    }
    await queue.seal(job);
    return true;
  }

  async function topUp(): Promise<void> {
    while (backlogs[0] && (await addAll(backlogs[0]))) backlogs.shift();
  }

  return {
    topUp,
    opened: () => opened,
    added: () => added,
    async open(pages) {
      const { delayMs, limit, cap } = site;
      const [job, gate] = [`site-${opened}`, `site-${opened}.example`];
      opened += 1;
      await queue.setGate(gate, { delayMs, limit });
      await queue.openJob(job, { concurrency: cap });
      backlogs.push({ job, tasks: Array.from({ length: pages }, (_, at) => page(job, gate, at)) });
      await topUp();
    },
  };
}

const page = (job: string, gate: string, at: number): TaskInput => ({
  kind: "page",
  key: `page-${at}`,
  job,
  gate,
  payload: { path: `/${gate}/${at}` } satisfies LoadPayload,
  attemptsMax: 50,
});
