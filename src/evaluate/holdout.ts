import type { Json } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { Conclusive } from './evaluation.ts'
import { Malformed, recordAt } from './malformed.ts'

export interface CompiledHoldout {
  /** Largest bucket that is held out. */
  readonly share: number
  readonly answer: Conclusive
}

/**
 * Undefined for a holdout that holds nobody: no id, or a percentage that is no number. Throws `Malformed`.
 *
 * @param conclude Makes the answer for a value.
 */
export const compileHoldout = (
  given: Json | undefined,
  conclude: (value: string) => Conclusive,
): CompiledHoldout | undefined => {
  const place = 'filters.holdout'
  const { id = null, exclusion_percentage: percentage } = recordAt(given, place)
  if (id === null) return undefined
  if (id === '' || (typeof id !== 'number' && typeof id !== 'string'))
    throw new Malformed(`${place}.id`, 'must be a number or a text that is not empty')
  // As a text, too: that is how other evaluators of these definitions read it.
  const isNumeric = typeof percentage === 'number' || (typeof percentage === 'string' && percentage.trim() !== '')
  const share = isNumeric ? Number(percentage) / 100 : NaN
  if (!Number.isFinite(share)) return undefined
  return { share: Math.min(Math.max(share, 0), 1), answer: conclude(`holdout-${String(id)}`) }
}

/**
 * The same people in each flag with a holdout of this size: the flag's key takes no part in the hash.
 *
 * @param id Undefined for somebody who cannot be hashed, and so only is held out where all are.
 */
export const isHeldOut = ({ share }: CompiledHoldout, id: string | undefined): boolean =>
  share === 1 || (id !== undefined && bucket('holdout-', id, '')[0]! <= share)
