/**
 * How long this process works at something. What others do on the machine meanwhile does not count,
 * so a limit on it tells a loop that does not end well from a busy machine.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
