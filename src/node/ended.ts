/** Resolves when the signal fires; at once without one, because nothing could ever end the wait. */
export function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!signal || signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
