import { endedAttempts, type Task } from "../../../queue/index.ts";

/** A task as programs get it: payload and result as JSON values, not as text that holds JSON. */
export function taskValue({ payload, result, ...task }: Task) {
  return {
    ...task,
    attempts: endedAttempts(task),
    payload: JSON.parse(payload) as unknown,
    result: result === null ? null : (JSON.parse(result) as unknown),
  };
}
