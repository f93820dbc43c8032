import { isOfPersons } from './is-of-persons.ts'
import type { ParsedQuestion } from './parse-question.ts'
import type { Filter, FilterOperator, Measure, Property } from './question.ts'

/** Says in English what the SELECT of a question returns, and which names were corrected. */
export const explainQuestion = ({ question, corrections }: ParsedQuestion): string => {
  const { measure, event, period, interval, filters, breakdown, limit } = question
  const isPersons = isOfPersons(question)
  const source = event === null ? `all ${isPersons ? 'persons' : 'events'}` : `the event "${event}"`
  const parts = [
    `${explainMeasure(measure)} ${source}`,
    ...(filters.length === 0 ? [] : [`where ${filters.map(explainFilter).join(' and ')}`]),
    ...(isPersons ? [] : [period === null ? 'of all time' : period.words]),
    ...(interval === null ? [] : [`per ${interval}`]),
    ...(breakdown === null ? [] : [`by ${explainProperty(breakdown)}`]),
  ]
  const sentences = [
    `${parts.join(' ')}.`,
    ...('property' in measure && measure.property.owner === 'person' && !isPersons
      ? ['A person counts once for each event.']
      : []),
    ...(limit === null ? [] : [`The ${limit} largest.`]),
    ...(period !== null || interval !== null ? ['Times are in UTC.'] : []),
    ...corrections.map(({ words, kind, name }) => `"${words}" is read as the ${kind} "${name}".`),
  ]
  return sentences.join(' ')
}

const explainMeasure = (measure: Measure): string => {
  if (measure.kind === 'events') return 'The number of times of'
  if (measure.kind === 'persons') return 'The number of different persons with'
  return `The ${measure.kind} of ${explainProperty(measure.property)} in`
}

const explainProperty = ({ name, owner }: Property): string =>
  owner === 'column' ? `the name of the ${name}` : `the ${owner} property "${name}"`

const OPERATOR_WORDS: Readonly<Record<FilterOperator, string>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  contains_not: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  at_least: 'is at least',
  at_most: 'is at most',
  more_than: 'is more than',
  less_than: 'is less than',
  set: 'is set',
  not_set: 'is not set',
}

const explainFilter = ({ property, operator, values }: Filter): string =>
  [explainProperty(property), OPERATOR_WORDS[operator], values.map((value) => `"${value}"`).join(' or ')]
    .join(' ')
    .trimEnd()
