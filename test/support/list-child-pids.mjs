import { readdirSync, readFileSync } from 'node:fs'

/**
 * Lists the child processes of a process, whichever of its threads has started them. Empty when it has ended.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export const listChildPids = (pid) => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter(Boolean)
      .map(Number)
  } catch {
    // The process or one of its threads has just ended.
    return []
  }
}
