import { DraftError } from './draft-error.ts'
import type { OpenWords } from './find-clause.ts'
import { takeClauses } from './find-clause.ts'
import type { FoundName } from './find-name.ts'
import { parseBreakdown, parseLimit } from './parse-breakdown.ts'
import { parseFilters } from './parse-filters.ts'
import { parseInterval, parsePeriod } from './parse-period.ts'
import { parseSubject } from './parse-subject.ts'
import type { Correction, ProjectNames, Property, Question } from './question.ts'
import type { Word } from './split-words.ts'
import { splitWords, writeWords } from './split-words.ts'

/** A question that was understood, and the names in it that were corrected. */
export interface ParsedQuestion {
  readonly question: Question
  readonly corrections: readonly Correction[]
}

/**
 * Parses a question in English about the events of a project, such as `How many persons did "bought" per week in the last 90 days by
 * plan?`. Filters, period, interval and breakdown may stand anywhere; what is left must be a measure and an event.
 *
 * Throws `DraftError`, which quotes what is not understood.
 *
 * @param now Milliseconds since 1970.
 */
export const parseQuestion = (text: string, names: ProjectNames, now: number): ParsedQuestion => {
  const words: OpenWords = splitWords(text)
  if (words.length === 0) throw new DraftError(`There are no words in "${text}".`)
  // Filters come first: their values may look like any other part.
  const filters = takeClauses(words, (part) => parseFilters(part, names))
  const periods = takeClauses(filters.rest, (part) => parsePeriod(part, now))
  const limits = takeClauses(periods.rest, parseLimit)
  const intervals = takeClauses(limits.rest, parseInterval)
  const breakdowns = takeClauses(intervals.rest, (part) => parseBreakdown(part, names))
  const subject = parseSubject(
    breakdowns.rest.filter((word): word is Word => word !== null),
    names,
  )
  const parsedFilters = filters.values.flat()
  const breakdown = takeOne(breakdowns.values, 'breakdown', ({ words }) => writeWords(words))
  const period = takeOne(periods.values, 'period', (value) => value.words)
  const interval = takeOne(intervals.values, 'interval', String)
  const limit = takeOne(limits.values, 'number of values', String)
  if (limit !== null && breakdown === null) throw new DraftError(`"top ${limit}" needs a breakdown, such as "by plan".`)
  if (limit !== null && interval !== null)
    throw new DraftError(`"top ${limit}" cannot be combined with "per ${interval}".`)
  return {
    question: {
      measure: subject.measure,
      event: subject.event?.found.name ?? null,
      period: period?.from === null && period.before === null ? null : period,
      interval,
      filters: parsedFilters.map(({ filter }) => filter),
      breakdown: breakdown?.property.name ?? null,
      limit,
    },
    corrections: [
      ...(subject.event?.found.isCorrected === true
        ? [{ kind: 'event' as const, words: writePlain(subject.event.words), name: subject.event.found.name }]
        : []),
      ...[subject.property, breakdown, ...parsedFilters].flatMap((part) => {
        if (part === null) return []
        return correctionOf('found' in part ? part.found : part.property, part.words)
      }),
    ],
  }
}

const correctionOf = ({ name, isCorrected }: FoundName<Property>, words: readonly Word[]): readonly Correction[] =>
  isCorrected ? [{ kind: 'property', words: writePlain(words), name: name.name }] : []

const writePlain = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')

const takeOne = <Value>(values: readonly Value[], noun: string, write: (value: Value) => string): Value | null => {
  if (values.length > 1)
    throw new DraftError(`A draft has one ${noun}, not ${values.map((value) => `"${write(value)}"`).join(' and ')}.`)
  return values[0] ?? null
}
