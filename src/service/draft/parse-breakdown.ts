import { DraftError } from './draft-error.ts'
import type { Clause } from './find-clause.ts'
import type { FoundName } from './find-name.ts'
import { findProperty, writeSomeNames } from './find-name.ts'
import type { ProjectNames, Property } from './question.ts'
import type { Word } from './split-words.ts'
import { matchWords, quoteWords } from './split-words.ts'

/** A breakdown, and the words that name its property. */
export interface ParsedBreakdown {
  readonly property: FoundName<Property>
  readonly words: readonly Word[]
}

const START =
  /(?:broken down by|grouped by|group by|split by|segmented by|broken down per|breakdown by|by|per|for each|for every|each|across)/

/** Who does something, which is no property: `bought by people`. */
const PERSONS = /(?:the )?(?:unique )?(?:persons?|people|users?|visitors?|customers?)$/

/** Reads a breakdown at the start of some words: `by plan`, `for each country`. */
export const parseBreakdown = (words: readonly Word[], names: ProjectNames): Clause<ParsedBreakdown> | null => {
  const start = matchWords(words, START)
  if (start === null) return null
  const rest = words.slice(start.count)
  if (rest.length === 0 || matchWords(rest, PERSONS) !== null) return null
  const property = findProperty(rest, names)
  if (property === null) {
    const known = [...names.eventProperties, ...names.personProperties]
    throw new DraftError(
      `There is no property ${quoteWords(rest.slice(0, 2))}. The project has ${writeSomeNames(known)}.`,
    )
  }
  const second = findSecond(rest.slice(property.count), names)
  const parsed = rest.slice(0, property.count)
  if (second !== null)
    throw new DraftError(`A draft has one breakdown, not ${quoteWords(parsed)} and ${quoteWords(second)}.`)
  return { value: { property, words: parsed }, count: start.count + property.count }
}

/** The words of another property behind the first one: `by plan and country`. */
const findSecond = (words: readonly Word[], names: ProjectNames): readonly Word[] | null => {
  const and = matchWords(words, /,? ?and/)
  const rest = words.slice(and?.count ?? 0)
  const property = and === null || rest.length === 0 ? null : findProperty(rest, names)
  return property === null ? null : rest.slice(0, property.count)
}

/** Reads the number of values of a breakdown: `top 10`. */
export const parseLimit = (words: readonly Word[]): Clause<number> | null => {
  const match = matchWords(words, /(?:the )?(?:top|first) (\d{1,4})/)
  return match === null ? null : { value: Number(match.groups[0]), count: match.count }
}
