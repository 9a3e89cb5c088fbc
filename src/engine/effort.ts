/**
 * Milliseconds that this process has worked, from any start. Time in which it does not run counts a tenth: a machine that is
 * busy makes no command too costly, and what hangs is ended all the same, long before a host gives up.
 */
export function effortClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + Number(process.hrtime.bigint()) / 1e7;
}
