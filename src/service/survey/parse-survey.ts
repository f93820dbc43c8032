import type { Json, JsonObject } from '../../wire/json.ts'
import {
  checkBooleans,
  parseDefinitionObject,
  isAbsent,
  parseArray,
  checkThat,
  parseOptionalString,
  parseObject,
  parseString,
} from '../flags/definitions/check.ts'
import { DefinitionError } from '../flags/definitions/definition-error.ts'
import { parseIsoTime } from '../../wire/parse-iso-time.ts'
import { FLAG_FIELDS } from '../store/metadata/surveys.ts'
import type { NewSurvey } from '../store/metadata/surveys.ts'
import { checkEnum, parseQuestion } from './parse-question.ts'

/** Longest name, in characters. */
const MAX_NAME_LENGTH = 400
/** Longest description, URL and selector, in characters. */
const MAX_STRING_LENGTH = 10_000
const MAX_QUESTIONS = 100

const TYPES = ['popover', 'api', 'widget', 'external_survey'] as const
const SCHEDULES = ['once', 'recurring', 'always'] as const
const MATCH_TYPES = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const
/** The conditions that are lists, as `{values: [...]}`. */
const LIST_CONDITIONS = ['events', 'cancelEvents', 'actions'] as const

/** A date, or a time with its time zone, because clients run in any zone. */
const DATE_OR_ZONED_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Converts a time to ISO 8601 in UTC; null when absent. */
const parseTimeAt = (value: Json | undefined, attr: string): string | null => {
  if (isAbsent(value)) return null
  const time = typeof value === 'string' && DATE_OR_ZONED_TIME.test(value) ? parseIsoTime(value) : null
  if (time === null) throw new DefinitionError(attr, 'must be an ISO 8601 date, or a time with its time zone, or null')
  return new Date(time).toISOString()
}

const checkWholeNumber = (value: Json | undefined, attr: string, min: number): void =>
  checkThat(
    isAbsent(value) || (Number.isSafeInteger(value) && Number(value) >= min),
    attr,
    `must be a whole number from ${min}, or null`,
  )

const checkRegex = (pattern: string, attr: string): void => {
  try {
    RegExp(pattern)
  } catch (error) {
    throw new DefinitionError(attr, `is not a valid regular expression: ${error instanceof Error ? error.message : ''}`)
  }
}

const checkConditions = (input: Json | undefined): void => {
  if (isAbsent(input)) return
  const conditions = parseObject(input, 'conditions')
  const { urlMatchType, seenSurveyWaitPeriodInDays: days } = conditions
  const url = parseOptionalString(conditions['url'], 'conditions.url', MAX_STRING_LENGTH)
  parseOptionalString(conditions['selector'], 'conditions.selector', MAX_STRING_LENGTH)
  parseOptionalString(conditions['linkedFlagVariant'], 'conditions.linkedFlagVariant', MAX_STRING_LENGTH)
  if (!isAbsent(urlMatchType)) checkEnum(urlMatchType, MATCH_TYPES, 'conditions.urlMatchType')
  if (urlMatchType === 'regex' || urlMatchType === 'not_regex') checkRegex(url, 'conditions.url')
  checkThat(
    isAbsent(days) || (typeof days === 'number' && days >= 0),
    'conditions.seenSurveyWaitPeriodInDays',
    'must be a number, 0 or more',
  )
  for (const name of LIST_CONDITIONS) {
    const condition = conditions[name]
    if (isAbsent(condition)) continue
    const at = `conditions.${name}.values`
    for (const [index, each] of parseArray(parseObject(condition, `conditions.${name}`)['values'], at).entries()) {
      const { name: event } = parseObject(each, `${at}[${index}]`)
      if (name !== 'actions') parseString(event, `${at}[${index}].name`)
    }
  }
}

/** Parses the questions and gives each an id: responses are stored under the id, so a question can move. */
const parseQuestions = (input: Json | undefined, createId: () => string): JsonObject[] => {
  const list = parseArray(input, 'questions')
  checkThat(list.length > 0 && list.length <= MAX_QUESTIONS, 'questions', `must be 1 to ${MAX_QUESTIONS} questions`)
  const ids = new Set<string>()
  return list.map((each, index) => {
    const at = `questions[${index}]`
    const question = parseQuestion(each, at, list.length)
    const id = isAbsent(question['id']) ? createId() : parseString(question['id'], `${at}.id`)
    checkThat(!ids.has(id), `${at}.id`, `must be unique; "${id}" is used twice`)
    ids.add(id)
    return Object.assign({ ...question }, { id })
  })
}

/**
 * Checks one survey. The service sets id, version, times and warnings, so these are removed. Unknown fields are kept. Does
 * not check whether the linked flags exist.
 *
 * @param createId Creates an id for a question without one.
 * @throws DefinitionError for a survey that clients cannot show.
 */
export const parseSurvey = (input: Json, createId: () => string): NewSurvey => {
  const fields = parseDefinitionObject(input, 'a survey')
  parseString(fields['name'], 'name', MAX_NAME_LENGTH)
  parseOptionalString(fields['description'], 'description', MAX_STRING_LENGTH)
  checkEnum(fields['type'], TYPES, 'type')
  checkConditions(fields['conditions'])
  for (const name of ['appearance', 'translations']) if (!isAbsent(fields[name])) parseObject(fields[name], name)
  checkBooleans(fields, ['archived', 'enable_partial_responses'])
  if (!isAbsent(fields['schedule'])) checkEnum(fields['schedule'], SCHEDULES, 'schedule')
  checkWholeNumber(fields['iteration_count'], 'iteration_count', 0)
  checkWholeNumber(fields['iteration_frequency_days'], 'iteration_frequency_days', 1)
  for (const name of FLAG_FIELDS) checkWholeNumber(fields[name], name, 1)
  const start_date = parseTimeAt(fields['start_date'], 'start_date')
  const end_date = parseTimeAt(fields['end_date'], 'end_date')
  checkThat(
    start_date === null || end_date === null || start_date <= end_date,
    'end_date',
    'must not be before start_date',
  )
  const questions = parseQuestions(fields['questions'], createId)
  // The checks above cover every field of the type.
  return { ...fields, questions, start_date, end_date, archived: fields['archived'] === true } as unknown as NewSurvey
}
