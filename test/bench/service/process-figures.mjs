import { readFileSync } from 'node:fs'
import { listChildPids } from '../../support/list-child-pids.mjs'

/** CPU times in /proc are in ticks of 10 ms (USER_HZ). */
const MICROSECONDS_PER_TICK = 10_000

/** A process and all its descendants, as pids. */
const listProcesses = (pid) => [pid, ...listChildPids(pid).flatMap(listProcesses)]

/** The indexer of a service, or null while it restarts. A new process has the command line of its parent for a moment. */
export const findIndexer = (servicePid) =>
  listChildPids(servicePid).find((pid) => /indexer/.test(readProcFile(pid, 'cmdline'))) ?? null

const readProcFile = (pid, name) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** The fields of proc_pid_stat(5) from number `first` on, up to `count` of them, in sum. */
const sumTicks = (pid, first, count) => {
  // The name of the process, field 2, may contain blanks.
  const fields = readProcFile(pid, 'stat').split(') ').at(-1).split(' ')
  return fields.slice(first - 3, first - 3 + count).reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** User and system time of a process. */
export const readCpuMicroseconds = (pid) => sumTicks(pid, 14, 2) * MICROSECONDS_PER_TICK

/** User and system time of a process and its children, also of those that have ended. */
export const readFamilyCpuMicroseconds = (pid) =>
  listChildPids(pid).reduce(
    (sum, child) => sum + readFamilyCpuMicroseconds(child),
    sumTicks(pid, 14, 4) * MICROSECONDS_PER_TICK,
  )

/** Time that all cores have worked since the start of the machine; the fields of the first line of proc_stat(5). */
export const readMachineCpuMicroseconds = () => {
  const [, user, nice, system, , , interrupts, softInterrupts] = readFileSync('/proc/stat', 'utf8').split(/\s+/)
  return [user, nice, system, interrupts, softInterrupts].reduce(
    (sum, ticks) => sum + Number(ticks) * MICROSECONDS_PER_TICK,
    0,
  )
}

/** Memory of a process (resident set size), now and at its peak. */
export const readMemoryMb = (pid) => {
  const status = readProcFile(pid, 'status')
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

/** Memory of a service with all its processes. Memory that they share counts once for each. */
export const readServiceMemoryMb = (servicePid) =>
  listProcesses(servicePid).reduce((sum, pid) => sum + readMemoryMb(pid).now, 0)
