/**
 * The processor time that this process uses for `work`. Other processes do not affect it, so a
 * limit can distinguish an endless loop from a busy machine.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
