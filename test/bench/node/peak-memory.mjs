import { readFileSync } from 'node:fs'

/**
 * Reads the peak memory of a running process in bytes, on Linux only. It is read from outside because an agent may block its own
 * process for a minute. `resourceUsage().maxRSS` is no alternative: it starts with the value of the parent, which survives `exec`.
 *
 * @param {number} pid
 */
export const readPeakMemoryBytes = (pid) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024
