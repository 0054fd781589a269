import type { Clock } from "../../../base/clock.ts";
import type { Queue } from "../../../queue/index.ts";

/**
 * What the queue's own clock says, which is the one that finish times and gates are written in and
 * which a step of the wall clock leaves alone. A queue tells it only through a task's age; an
 * empty one has nothing that could be late, so there the wall clock will do.
 */
export async function storeNowMs(queue: Queue, clock: Clock): Promise<number> {
  const [first] = await queue.browse({ limit: 1 });
  const shown = first && (await queue.show(first.id));
  return shown ? shown.task.createdAtMs + shown.ageMs : clock.nowMs();
}
