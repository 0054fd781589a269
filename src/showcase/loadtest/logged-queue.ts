import type { Queue } from "../../queue/index.ts";
import type { LoggedOutcome, VisitRef, WriteVisit } from "./visit-log.ts";

/**
 * The same queue, with every finish and its answer in the log. `onFinishing` is called with the ids
 * of the tasks that are about to be finished as done: a worker that is stopped at this point is
 * late.
 */
export function loggedQueue(
  queue: Queue,
  write: WriteVisit,
  onFinishing: (ids: readonly number[]) => void,
): Queue {
  const refs = new Map<number, VisitRef>();
  return {
    ...queue,
    async claim(request) {
      const found = await queue.claim(request);
      for (const lease of found.leases) refs.set(lease.id, refOf(lease));
      return found;
    },
    async finish(finishes) {
      const visits = finishes.map(({ id, token, outcome }) => ({
        outcome: outcome.kind as LoggedOutcome,
        ...refs.get(id)!,
        token,
      }));
      for (const one of visits) write({ event: "finishing", ...one });
      onFinishing(visits.filter(({ outcome }) => outcome === "done").map(({ id }) => id));
      const answers = await queue.finish(finishes);
      visits.forEach((one, at) => {
        write({ event: "finished", status: answers[at]?.status ?? "lost", ...one });
        refs.delete(one.id); // otherwise this log would grow during the load
      });
      return answers;
    },
  };
}

export function refOf({ id, token, key, gate, job }: VisitRef): VisitRef {
  return { id, token, key, gate, job };
}
