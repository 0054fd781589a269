import type { Clock } from "../../../base/clock.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { createValidator } from "../../../queue/index.ts";

type Validator = ReturnType<typeof createValidator>;

/** Lets the queue's own rules judge the command line before a question is asked or a file made. */
export async function checkInput(
  clock: Clock,
  check: (validator: Validator) => void,
): Promise<void> {
  const validator = createValidator({ clock, newId: () => "unused: no task is made" });
  await asUsage(async () => check(validator));
}
