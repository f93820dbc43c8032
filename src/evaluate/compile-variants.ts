import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { readArray, readNumber, readObject, readString } from './read-value.ts'

/** The variants of a flag, in the order of its definition. */
export interface CompiledVariants {
  readonly keys: readonly string[]
  /** Cumulative upper bounds of the variants' shares, in order. */
  readonly bounds: readonly number[]
  /** Index of the variant that everyone gets, whatever the hash; the number of variants when all shares are 0. */
  readonly fixedIndex: number | undefined
}

/** Compiles the `multivariate` field of a flag. Throws `MalformedDefinitionError`. */
export const compileVariants = (input: Json | undefined): CompiledVariants => {
  const path = 'filters.multivariate.variants'
  let sum = 0
  const variants = readArray(readObject(input, 'filters.multivariate')['variants'], path).map((variant, index) => {
    if (!isRecord(variant)) throw new MalformedDefinitionError(`${path}[${index}]`, 'must be an object')
    const percentage = readNumber(variant['rollout_percentage'], `${path}[${index}].rollout_percentage`)
    if (percentage === undefined)
      throw new MalformedDefinitionError(`${path}[${index}].rollout_percentage`, 'must be a number')
    return { key: readString(variant['key'], `${path}[${index}].key`), bound: (sum += percentage / 100) }
  })
  const firstIndex = variants.findIndex(({ bound }) => bound > 0)
  return {
    keys: variants.map(({ key }) => key),
    bounds: variants.map(({ bound }) => bound),
    fixedIndex: firstIndex < 0 ? variants.length : variants[firstIndex]!.bound >= 1 ? firstIndex : undefined,
  }
}
