import { AppError } from "../base/app-error.ts";
import type { Queue } from "./queue.ts";

export interface RaiseTaskOptions {
  /** If it is lower than the task's priority, nothing changes. */
  readonly priority: number;
  readonly isDueNow: boolean;
}

/** Raises one pending task. Returns false if it is not pending or nothing would change. */
export async function raiseTask(
  queue: Pick<Queue, "show" | "raise">,
  id: number,
  { priority, isDueNow }: RaiseTaskOptions,
): Promise<boolean> {
  const shown = await queue.show(id);
  if (!shown) {
    const message = `there is no task ${id}: it was never added, or is only in the log`;
    throw new AppError("invalid", "no_such_task", message);
  }
  const { job, gate, key } = shown.task;
  const raises = [{ job, gate, key, priority, ...(isDueNow && { isDueNow: true as const }) }];
  return (await queue.raise(raises))[0] === "raised";
}
