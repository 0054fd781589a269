/**
 * Resolves when the signal fires. Without a signal it resolves at once, because nothing could end
 * the wait.
 */
export function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!signal || signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
