import type { Json, JsonObject } from '../../wire/json.ts'
import {
  checkSwitches,
  definitionAt,
  isAbsent,
  listAt,
  must,
  noteAt,
  recordAt,
  textAt,
} from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { isoMoment } from '../../wire/iso-moment.ts'
import { FLAG_FIELDS } from '../store/metadata/surveys.ts'
import type { NewSurvey } from '../store/metadata/surveys.ts'
import { checkWord, parseQuestion } from './parse-question.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 400
/** Longest description, address and selector, in characters. */
const MAX_TEXT_LENGTH = 10_000
/** Most questions of one survey. */
const MOST_QUESTIONS = 100

const TYPES = ['popover', 'api', 'widget', 'external_survey'] as const
const SCHEDULES = ['once', 'recurring', 'always'] as const
const MATCH_TYPES = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const
/** What is listed in a survey's conditions, as `{values: [...]}`. */
const LISTED = ['events', 'cancelEvents', 'actions'] as const

/** A day, or a moment with its zone: who reads it sits anywhere. */
const DAY_OR_ZONED = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** A moment as ISO 8601 in UTC, or null for none. */
const momentAt = (given: Json | undefined, attr: string): string | null => {
  if (isAbsent(given)) return null
  const moment = typeof given === 'string' && DAY_OR_ZONED.test(given) ? isoMoment(given) : null
  if (moment === null)
    throw new DefinitionError(
      attr,
      'must be a day of the calendar, or a moment with its time zone, in ISO 8601; or null',
    )
  return new Date(moment).toISOString()
}

const checkWholeNumber = (given: Json | undefined, attr: string, least: number): void =>
  must(
    isAbsent(given) || (Number.isSafeInteger(given) && Number(given) >= least),
    attr,
    `must be a whole number from ${least}, or null`,
  )

const checkRegex = (text: string, attr: string): void => {
  try {
    RegExp(text)
  } catch (error) {
    throw new DefinitionError(attr, `is no regular expression: ${error instanceof Error ? error.message : ''}`)
  }
}

const checkConditions = (given: Json | undefined): void => {
  if (isAbsent(given)) return
  const conditions = recordAt(given, 'conditions')
  const { urlMatchType, seenSurveyWaitPeriodInDays: days } = conditions
  const url = noteAt(conditions['url'], 'conditions.url', MAX_TEXT_LENGTH)
  noteAt(conditions['selector'], 'conditions.selector', MAX_TEXT_LENGTH)
  noteAt(conditions['linkedFlagVariant'], 'conditions.linkedFlagVariant', MAX_TEXT_LENGTH)
  if (!isAbsent(urlMatchType)) checkWord(urlMatchType, MATCH_TYPES, 'conditions.urlMatchType')
  if (urlMatchType === 'regex' || urlMatchType === 'not_regex') checkRegex(url, 'conditions.url')
  must(
    isAbsent(days) || (typeof days === 'number' && days >= 0),
    'conditions.seenSurveyWaitPeriodInDays',
    'must be a number from 0',
  )
  for (const name of LISTED) {
    const listed = conditions[name]
    if (isAbsent(listed)) continue
    const at = `conditions.${name}.values`
    for (const [index, each] of listAt(recordAt(listed, `conditions.${name}`)['values'], at).entries()) {
      const { name: event } = recordAt(each, `${at}[${index}]`)
      if (name !== 'actions') textAt(event, `${at}[${index}].name`)
    }
  }
}

/** Questions with an id each: answers are kept under it, wherever the question moves. */
const parseQuestions = (given: Json | undefined, newId: () => string): JsonObject[] => {
  const list = listAt(given, 'questions')
  must(list.length > 0 && list.length <= MOST_QUESTIONS, 'questions', `must be 1 to ${MOST_QUESTIONS} questions`)
  const seen = new Set<string>()
  return list.map((each, index) => {
    const at = `questions[${index}]`
    const question = parseQuestion(each, at, list.length)
    const id = isAbsent(question['id']) ? newId() : textAt(question['id'], `${at}.id`)
    must(!seen.has(id), `${at}.id`, `is "${id}" for a second time`)
    seen.add(id)
    return Object.assign({ ...question }, { id })
  })
}

/**
 * Checks one survey as somebody wrote it. id, version and moments are the store's, so given ones are left out. Fields that
 * are not known stay. Whether the flags that it names are there is not looked at.
 *
 * @param newId Makes an id for a question that has none.
 * @throws DefinitionError for a survey that clients could not show.
 */
export const parseSurvey = (given: Json, newId: () => string): NewSurvey => {
  const { id: _id, version: _version, created_at: _c, updated_at: _u, ...fields } = definitionAt(given, 'a survey')
  textAt(fields['name'], 'name', MAX_NAME_LENGTH)
  noteAt(fields['description'], 'description', MAX_TEXT_LENGTH)
  checkWord(fields['type'], TYPES, 'type')
  checkConditions(fields['conditions'])
  for (const name of ['appearance', 'translations']) if (!isAbsent(fields[name])) recordAt(fields[name], name)
  checkSwitches(fields, ['archived', 'enable_partial_responses'])
  if (!isAbsent(fields['schedule'])) checkWord(fields['schedule'], SCHEDULES, 'schedule')
  checkWholeNumber(fields['iteration_count'], 'iteration_count', 0)
  checkWholeNumber(fields['iteration_frequency_days'], 'iteration_frequency_days', 1)
  for (const name of FLAG_FIELDS) checkWholeNumber(fields[name], name, 1)
  const start_date = momentAt(fields['start_date'], 'start_date')
  const end_date = momentAt(fields['end_date'], 'end_date')
  must(start_date === null || end_date === null || start_date <= end_date, 'end_date', 'must not be before start_date')
  const questions = parseQuestions(fields['questions'], newId)
  // Every field that the type names was looked at above.
  return { ...fields, questions, start_date, end_date, archived: fields['archived'] === true } as unknown as NewSurvey
}
