import { readFileSync } from 'node:fs'

/**
 * The most memory that a running process has had, in bytes; only Linux tells. Asked from outside, because an agent may block its own process for a
 * minute; and not by `resourceUsage().maxRSS`, which begins with that of the process that has started it (the kernel keeps it over `exec`).
 *
 * @param {number} pid
 */
export const peakMemoryBytes = (pid) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024
