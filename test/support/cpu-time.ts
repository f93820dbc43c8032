/**
 * The milliseconds of processor time that a calculation takes in this process. Unlike elapsed time it hardly depends on what else the
 * machine does, so a limit tells a slow algorithm from a busy machine.
 */
export const measureCpuMs = (calculate: () => unknown): number => {
  const start = process.cpuUsage()
  calculate()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
