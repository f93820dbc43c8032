import { createHash } from 'node:crypto'
import { compile } from '../../src/evaluate/compile.ts'
import { evaluateFlag } from '../../src/evaluate/evaluate-flag.ts'
import { evaluationContext } from '../../src/evaluate/evaluation.ts'
import type { Evaluation, GivenContext } from '../../src/evaluate/evaluation.ts'
import type { FlagDefinition, FlagDefinitions, PropertyFilter } from '../../src/wire/definition.ts'

/** A flag called `flag` that is on for everybody, but for what is given. */
export const flagOf = (filters: object, more: object = {}): FlagDefinition => ({
  id: 1,
  key: 'flag',
  active: true,
  filters: { groups: [{}], ...filters },
  ...more,
})

/** A flag with one condition group. */
export const filtered = (...properties: PropertyFilter[]): FlagDefinition => flagOf({ groups: [{ properties }] })

/** Runs the flag in a set with `beside`, for the person `u`, where all properties are known unless `given` says otherwise. */
export const run = (
  definition: FlagDefinition,
  given: Partial<GivenContext> = {},
  beside: Partial<FlagDefinitions> = {},
): Evaluation =>
  evaluateFlag(
    compile({ ...beside, flags: [definition, ...(beside.flags ?? [])] }).flags.get(definition.key)!,
    evaluationContext({ distinctId: 'u', complete: true, now: 0, ...given }),
  )

/** The hash of the protocol, calculated another way. */
const referenceBucket = (text: string): number =>
  parseInt(createHash('sha1').update(text).digest('hex').slice(0, 15), 16) / Number(`0x${'f'.repeat(15)}`)

/** Ids of people whose hash of `prefix` and id is within the bounds. */
export const idsBetween = (prefix: string, low: number, high: number, count = 3): string[] => {
  const ids: string[] = []
  for (let n = 0; ids.length < count; n++) {
    const hash = referenceBucket(`${prefix}id-${n}`)
    if (hash > low && hash <= high) ids.push(`id-${n}`)
  }
  return ids
}

/**
 * Somebody who is exactly on the bound of a percentage: the hash of `prefix`, id and salt is the double that the percentage
 * over 100 is, too.
 */
export const someoneOnBound = (prefix: string, salt = ''): { readonly id: string; readonly percentage: number } => {
  for (let n = 0; ; n++) {
    const [id, hash] = [`id-${n}`, referenceBucket(`${prefix}id-${n}${salt}`)]
    if ((hash * 100) / 100 === hash) return { id, percentage: hash * 100 }
  }
}
