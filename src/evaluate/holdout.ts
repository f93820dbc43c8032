import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import type { Json } from '../wire/json.ts'
import { bucket } from './bucket.ts'
import type { Conclusive } from './evaluation.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { readObject } from './read-value.ts'

/** A share of all ids that gets the holdout's own value from every flag with this holdout: the control group of experiments. */
export interface CompiledHoldout {
  /** Highest hash position that is held out, 0 to 1. */
  readonly share: number
  readonly heldOutResult: Conclusive
}

/**
 * Compiles the `holdout` field of a flag. Returns undefined for a holdout without effect: no id, or a percentage that is not a
 * number. Throws `MalformedDefinitionError`.
 *
 * @param createResult Creates the result for a value.
 */
export const compileHoldout = (
  input: Json | undefined,
  createResult: (value: string) => Conclusive,
): CompiledHoldout | undefined => {
  const path = 'filters.holdout'
  const { id = null, exclusion_percentage: percentage } = readObject(input, path)
  if (id === null) return undefined
  if (id === '' || (typeof id !== 'number' && typeof id !== 'string'))
    throw new MalformedDefinitionError(`${path}.id`, 'must be a number or a non-empty string')
  // Numeric strings are accepted, as in other evaluators of these definitions.
  const isNumeric = typeof percentage === 'number' || isNonBlankString(percentage)
  const share = isNumeric ? Number(percentage) / 100 : NaN
  if (!Number.isFinite(share)) return undefined
  return { share: Math.min(Math.max(share, 0), 1), heldOutResult: createResult(`holdout-${String(id)}`) }
}

/**
 * Returns whether an id is held out. Holdouts with the same percentage hold out the same ids in every flag, because the hash does not
 * include the flag's key.
 *
 * @param id Undefined when there is nothing to hash: then only a holdout of 100 % applies.
 */
export const isHeldOut = ({ share }: CompiledHoldout, id: string | undefined): boolean =>
  share === 1 || (id !== undefined && bucket('holdout-', id, '')[0]! <= share)
