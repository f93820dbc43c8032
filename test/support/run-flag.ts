import { createHash } from 'node:crypto'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, FlagDefinitions, PropertyFilter } from '../../src/wire/definition.ts'

/** A flag `flag` that is on for everybody, with changed filters and fields. */
export const flagOf = (filters: object, fields: object = {}): FlagDefinition => ({
  id: 1,
  key: 'flag',
  active: true,
  filters: { groups: [{}], ...filters },
  ...fields,
})

/** A flag with one condition group of property filters. */
export const filtered = (...properties: PropertyFilter[]): FlagDefinition => flagOf({ groups: [{ properties }] })

/** Evaluates the flag beside `otherDefinitions` for the person `u`. All properties are known unless `context` says otherwise. */
export const run = (
  definition: FlagDefinition,
  context: Partial<GivenContext> = {},
  otherDefinitions: Partial<FlagDefinitions> = {},
): Evaluation =>
  evaluateFlag(
    compile({ ...otherDefinitions, flags: [definition, ...(otherDefinitions.flags ?? [])] }).flags.get(definition.key)!,
    evaluationContext({ distinctId: 'u', complete: true, now: 0, ...context }),
  )

/** The hash of the protocol, calculated independently of the source. */
const referenceBucket = (input: string): number =>
  parseInt(createHash('sha1').update(input).digest('hex').slice(0, 15), 16) / Number(`0x${'f'.repeat(15)}`)

/** Finds ids whose hash of `prefix` and id lies between `low` and `high`. */
export const findIdsBetween = (prefix: string, low: number, high: number, count = 3): string[] => {
  const ids: string[] = []
  for (let n = 0; ids.length < count; n++) {
    const hash = referenceBucket(`${prefix}id-${n}`)
    if (hash > low && hash <= high) ids.push(`id-${n}`)
  }
  return ids
}

/**
 * Finds an id exactly on the boundary of a percentage: the hash of `prefix`, id and salt equals the percentage divided by 100.
 */
export const findIdOnBound = (prefix: string, salt = ''): { readonly id: string; readonly percentage: number } => {
  for (let n = 0; ; n++) {
    const [id, hash] = [`id-${n}`, referenceBucket(`${prefix}id-${n}${salt}`)]
    if ((hash * 100) / 100 === hash) return { id, percentage: hash * 100 }
  }
}
