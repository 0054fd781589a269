/** Long, because a machine whose disk is busy stands still for seconds at a time. */
const limitMs = 240_000;

/**
 * Asks until the answer is not empty, and returns it. `what` says what was waited for, and may add
 * what was seen.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  what: string | (() => string),
): Promise<NonNullable<T>> {
  const endMs = Date.now() + limitMs;
  while (Date.now() < endMs) {
    const found = await read();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const text = typeof what === "string" ? what : what();
  throw new Error(`not within ${limitMs / 1_000} s: ${text}`);
}
