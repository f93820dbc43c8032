import { readdirSync, readFileSync } from 'node:fs'

/** CPU times in /proc are in ticks of 10 ms (USER_HZ). */
const MICROSECONDS_PER_TICK = 10_000

/** A process and all its descendants, as pids. */
const listProcesses = (pid) => [pid, ...listChildren(pid).flatMap(listProcesses)]

/** The indexer of a service, or null while it restarts. A new process has the command line of its parent for a moment. */
export const findIndexer = (servicePid) =>
  listChildren(servicePid).find((pid) => /indexer/.test(readProcFile(pid, 'cmdline'))) ?? null

const listChildren = (pid) => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '))
      .filter(Boolean)
      .map(Number)
  } catch {
    // The process or one of its threads has just ended.
    return []
  }
}

const readProcFile = (pid, name) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** User and system time of a process; fields 14 and 15 of proc_pid_stat(5). */
export const readCpuMicroseconds = (pid) => {
  const fields = readProcFile(pid, 'stat').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
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
