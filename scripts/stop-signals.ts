/**
 * Calls back when this process should end: Ctrl-C, SIGTERM, a closed terminal, or the loss of
 * the bootstrap that started it. Further signals do not call again: they usually are the same
 * Ctrl-C, once from the terminal and once passed on by npm.
 */
export function onStopSignal(stop: (exitCode: number) => void): void {
  let hasStopped = false;
  const stopOnce = (exitCode: number) => {
    if (hasStopped) return;
    hasStopped = true;
    stop(exitCode);
  };
  process.on("SIGINT", () => stopOnce(130));
  process.on("SIGTERM", () => stopOnce(143));
  process.on("SIGHUP", () => stopOnce(129));
  // A bootstrap killed with -9 passes nothing on, but leaves us to another parent.
  if (process.env["BOOTSTRAP_PID"] !== String(process.ppid)) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stopOnce(129), 500).unref();
}
