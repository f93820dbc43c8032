import { createRandom } from '../random.mjs'
import { COMPOSED_SELECTS } from './composed-selects.mjs'
import { FOUND_SELECTS } from './found-selects.mjs'

/**
 * A SELECT that may take more time or memory than a query may have.
 *
 * @typedef {{ name: string, sql: string }} HostileSelect
 */

/** All kinds. @type {readonly HostileSelect[]} */
export const HOSTILE_SELECTS = [...FOUND_SELECTS, ...COMPOSED_SELECTS]

/**
 * All kinds that were found by attack, and a random choice of the others.
 *
 * @param {number} composedCount
 * @param {number} seed
 */
export const sampleSelects = (composedCount, seed) => [
  ...FOUND_SELECTS,
  ...createRandom(seed)
    .shuffled([...COMPOSED_SELECTS])
    .slice(0, composedCount),
]
