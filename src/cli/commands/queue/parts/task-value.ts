import { endedAttempts, type Task } from "../../../../queue/index.ts";

/** A task for --json: payload and result are JSON values, not text that contains JSON. */
export function taskValue({ payload, result, ...task }: Task) {
  return {
    ...task,
    attempts: endedAttempts(task),
    payload: JSON.parse(payload) as unknown,
    result: result === null ? null : (JSON.parse(result) as unknown),
  };
}
