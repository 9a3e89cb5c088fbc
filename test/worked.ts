/** Milliseconds that this process has worked since then: unlike the time that has passed, it is the same on a busy machine. */
export function workedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
