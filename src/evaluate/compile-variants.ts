import { isRecord } from '../wire/json.ts'
import type { Json } from '../wire/json.ts'
import { listAt, Malformed, numberAt, recordAt, textAt } from './malformed.ts'

export interface Variants {
  readonly keys: readonly string[]
  /** Upper bounds of their shares, adding up. */
  readonly bounds: readonly number[]
  /** Index of the variant that takes everybody, whatever the hash; their number where none takes anybody. */
  readonly whole: number | undefined
}

/** Throws `Malformed`. */
export const compileVariants = (given: Json | undefined): Variants => {
  const place = 'filters.multivariate.variants'
  let sum = 0
  const variants = listAt(recordAt(given, 'filters.multivariate')['variants'], place).map((each, at) => {
    if (!isRecord(each)) throw new Malformed(`${place}[${at}]`, 'must be an object')
    const percentage = numberAt(each['rollout_percentage'], `${place}[${at}].rollout_percentage`)
    if (percentage === undefined) throw new Malformed(`${place}[${at}].rollout_percentage`, 'must be a number')
    return { key: textAt(each['key'], `${place}[${at}].key`), bound: (sum += percentage / 100) }
  })
  const first = variants.findIndex(({ bound }) => bound > 0)
  return {
    keys: variants.map(({ key }) => key),
    bounds: variants.map(({ bound }) => bound),
    whole: first < 0 ? variants.length : variants[first]!.bound >= 1 ? first : undefined,
  }
}
