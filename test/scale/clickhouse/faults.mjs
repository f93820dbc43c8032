import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What goes wrong.
 *
 * - `away`: every connection is closed at once.
 * - `slow`: statements wait `delayMs` before they run.
 * - `refuse`: the server refuses the statement, because it has too many parts unless a code and a message say otherwise.
 * - `answer`: the server answers with `text`.
 * - `drop_before`: the connection breaks before the statement runs; `drop_after`: after it ran, before its answer.
 *
 * @typedef {object} Fault
 * @property {'away' | 'slow' | 'refuse' | 'answer' | 'drop_before' | 'drop_after' | 'none'} kind
 * @property {string} [matching] A regular expression for the statements; default: inserts.
 * @property {number} [count] How many statements; default: all.
 * @property {number} [delayMs]
 * @property {number} [code]
 * @property {string} [message]
 * @property {string} [text]
 */

export const createFaults = () => {
  /** @type {Fault} */
  let fault = { kind: 'none' }
  return {
    /** @param {Fault} next */
    set(next) {
      fault = next
    },
    isAway: () => fault.kind === 'away',
    /** Counts a statement, and waits if it is to be slow. */
    async apply(sql) {
      const applied = fault
      const { kind, matching = '^\\s*INSERT', count = Infinity, delayMs = 0 } = applied
      if (kind === 'none' || count === 0 || !new RegExp(matching, 'i').test(sql)) return { kind: 'none' }
      fault = { ...fault, count: count - 1 }
      if (kind === 'slow') await sleep(delayMs)
      return applied
    },
  }
}
