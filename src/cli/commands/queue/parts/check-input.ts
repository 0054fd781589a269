import type { Clock } from "../../../../base/clock.ts";
import { asUsage } from "../../../../base/usage-error.ts";
import { createValidator } from "../../../../queue/index.ts";

type Validator = ReturnType<typeof createValidator>;

/**
 * Validates the command line by the rules of the queue, before a question is asked or a file is
 * created.
 */
export async function checkInput(
  clock: Clock,
  check: (validator: Validator) => void,
): Promise<void> {
  const validator = createValidator({ clock, newId: () => "unused: no task is made" });
  await asUsage(async () => check(validator));
}
