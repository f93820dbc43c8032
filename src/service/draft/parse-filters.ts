import { DraftError } from './draft-error.ts'
import type { Clause } from './find-clause.ts'
import type { FoundName } from './find-name.ts'
import { findProperty } from './find-name.ts'
import type { Filter, FilterOperator, ProjectNames, Property } from './question.ts'
import type { Word } from './split-words.ts'
import { matchWords, writeWords } from './split-words.ts'

/** A filter, and how its property was found. */
export interface ParsedFilter {
  readonly filter: Filter
  readonly property: FoundName<Property>
  readonly words: readonly Word[]
}

/** Words that surely begin a filter, and those that may also stand before an event. */
const SURE_START = /where|whose|when|if|for which/
const POSSIBLE_START = /with|having|(?:that|who|which) (?:have|has|had)|and with/

const OPERATORS: readonly (readonly [RegExp, FilterOperator])[] = [
  [/(?:(?:is|are) )?not set|(?:is|are) (?:missing|empty|unknown)|does not exist/, 'not_set'],
  [/(?:is|are) (?:set|known)|exists/, 'set'],
  [/(?:is |are |= )?(?:at least|no less than)|>=/, 'at_least'],
  [/(?:is |are )?(?:at most|no more than|up to)|<=/, 'at_most'],
  [/(?:is |are |was )?(?:(?:more|greater|larger|higher|bigger) than|over|above)|>/, 'more_than'],
  [/(?:is |are |was )?(?:(?:less|smaller|lower|fewer) than|under|below)|</, 'less_than'],
  [/(?:does not|doesn't) contain|not containing/, 'contains_not'],
  [/contains?|containing|includes?|including/, 'contains'],
  [/(?:starts?|begins?|starting|beginning) with/, 'starts_with'],
  [/(?:ends?|ending) with/, 'ends_with'],
  [/(?:is|are|was|were) not(?: equal to| one of)?|isn't|aren't|!=|<>|(?:does not|doesn't) equal|other than/, 'is_not'],
  [/(?:is|are|was|were|=|==)(?: equal to| one of| either)?|equals?(?: to)?|of/, 'is'],
]

/** Reads filters at the start of some words: `where plan is pro and amount is at least 10`. */
export const parseFilters = (words: readonly Word[], names: ProjectNames): Clause<readonly ParsedFilter[]> | null => {
  const sure = matchWords(words, SURE_START)
  const start = sure ?? matchWords(words, POSSIBLE_START)
  if (start === null) return null
  const filters: ParsedFilter[] = []
  let count = start.count
  for (;;) {
    const clause = parseFilter(words.slice(count), names)
    if (clause === null) {
      if (filters.length > 0) break
      if (sure === null) return null
      throw new DraftError(
        `Cannot understand the condition "${writeWords(words)}". Write it as: where <property> is <value>.`,
      )
    }
    filters.push(clause.value)
    count += clause.count
    const next = matchWords(words.slice(count), /(?:, )?(?:and|but)(?: where| whose| with)?|,/)
    if (next === null || parseFilter(words.slice(count + next.count), names) === null) break
    count += next.count
  }
  return { value: filters, count }
}

const parseFilter = (words: readonly Word[], names: ProjectNames): Clause<ParsedFilter> | null => {
  const property = findProperty(words, names)
  if (property === null) return null
  const rest = words.slice(property.count)
  const create = (operator: FilterOperator, values: readonly string[], count: number): Clause<ParsedFilter> => ({
    value: {
      filter: { property: property.name, operator, values },
      property,
      words: words.slice(0, property.count),
    },
    count: property.count + count,
  })
  for (const [pattern, operator] of OPERATORS) {
    const match = matchWords(rest, pattern)
    if (match === null) continue
    if (operator === 'set' || operator === 'not_set') return create(operator, [], match.count)
    const values = parseValues(rest.slice(match.count), operator)
    return values === null ? null : create(operator, values.value, match.count + values.count)
  }
  // `with plan "pro"`
  const [value] = rest
  return value?.isQuoted === true ? create('is', [value.text], 1) : null
}

const NUMERIC: ReadonlySet<FilterOperator> = new Set(['at_least', 'at_most', 'more_than', 'less_than'])

/** `pro`, `"pro"`, `pro or free`, `a, b or c`. */
const parseValues = (words: readonly Word[], operator: FilterOperator): Clause<readonly string[]> | null => {
  const [first] = words
  if (first === undefined || first.text === ',') return null
  if (NUMERIC.has(operator)) {
    const number = first.text.replace(/^[$€£]/, '').replaceAll(/(?<=\d)[,_](?=\d{3})/g, '')
    if (!/^-?\d+(?:\.\d+)?$/.test(number))
      throw new DraftError(`"${first.text}" is not a number that a property can be compared with.`)
    return { value: [number], count: 1 }
  }
  const values = [first.text]
  let count = 1
  if (operator !== 'is' && operator !== 'is_not') return { value: values, count }
  for (;;) {
    const or = matchWords(words.slice(count), /(?:, )?(?:or|nor)|,(?=.* or )/)
    const next = or === null ? undefined : words[count + or.count]
    if (or === null || next === undefined) return { value: values, count }
    values.push(next.text)
    count += or.count + 1
  }
}
