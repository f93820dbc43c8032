import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import {
  checkUrl,
  checkBooleans,
  isAbsent,
  parseArray,
  checkThat,
  parseOptionalString,
  parseObject,
  parseString,
} from '../flags/definitions/check.ts'

/** Longest question, choice, label and description, in characters; every page downloads them all. */
const MAX_STRING_LENGTH = 10_000

const TYPES = ['open', 'link', 'rating', 'single_choice', 'multiple_choice'] as const
const SCALES = [2, 3, 5, 7, 10]
const BRANCHING_TYPES = ['next_question', 'end', 'response_based', 'specific_question'] as const
/** Optional string fields that clients show with the question. */
const TEXT_FIELDS = ['description', 'buttonText', 'lowerBoundLabel', 'upperBoundLabel']

/** Throws `DefinitionError` unless `value` is one of `allowed`. */
export const checkEnum = (value: Json | undefined, allowed: readonly string[], at: string): void =>
  checkThat(
    allowed.some((name) => name === value),
    at,
    `must be one of ${allowed.join(', ')}`,
  )

const checkChoices = (choices: Json | undefined, at: string): void => {
  const list = parseArray(choices, at)
  checkThat(list.length > 0, at, 'must have at least one choice')
  for (const [index, choice] of list.entries()) parseString(choice, `${at}[${index}]`, MAX_STRING_LENGTH)
}

const checkRating = ({ display, scale }: JsonObject, at: string): void => {
  checkEnum(display, ['number', 'emoji'], `${at}.display`)
  checkThat(
    SCALES.some((points) => points === scale),
    `${at}.scale`,
    `must be one of ${SCALES.join(', ')}`,
  )
}

/** Checks a branching target: the index of a question, or one of `keywords`. */
const checkTarget = (
  target: Json | undefined,
  questionCount: number,
  at: string,
  keywords: readonly string[] = [],
): void => {
  const isIndex = Number.isSafeInteger(target) && Number(target) >= 0 && Number(target) < questionCount
  const alternatives = keywords.map((keyword) => `, or "${keyword}"`).join('')
  checkThat(
    isIndex || keywords.some((keyword) => keyword === target),
    at,
    `must be the index of a question, from 0 to ${questionCount - 1}${alternatives}`,
  )
}

const checkBranching = (branching: Json | undefined, questionCount: number, at: string): void => {
  if (isAbsent(branching)) return
  const { type, index, responseValues } = parseObject(branching, at)
  checkEnum(type, BRANCHING_TYPES, `${at}.type`)
  if (type === 'specific_question') checkTarget(index, questionCount, `${at}.index`)
  if (type === 'response_based')
    for (const [response, target] of Object.entries(parseObject(responseValues, `${at}.responseValues`)))
      checkTarget(target, questionCount, `${at}.responseValues.${response}`, ['end', 'next_question'])
}

/**
 * Checks one question of a survey. Unknown fields are kept.
 *
 * @param at Its path in the survey, for error messages.
 * @param questionCount Number of questions in the survey.
 * @throws DefinitionError for a question that clients cannot show.
 */
export const parseQuestion = (input: Json, at: string, questionCount: number): JsonObject => {
  const question = parseObject(input, at)
  const { type, link } = question
  checkEnum(type, TYPES, `${at}.type`)
  parseString(question['question'], `${at}.question`, MAX_STRING_LENGTH)
  for (const name of TEXT_FIELDS) parseOptionalString(question[name], `${at}.${name}`, MAX_STRING_LENGTH)
  if (!isAbsent(question['descriptionContentType']))
    checkEnum(question['descriptionContentType'], ['text', 'html'], `${at}.descriptionContentType`)
  checkBooleans(question, ['optional', 'hasOpenChoice', 'shuffleOptions', 'skipSubmitButton'], `${at}.`)
  if (type === 'single_choice' || type === 'multiple_choice') checkChoices(question['choices'], `${at}.choices`)
  if (type === 'rating') checkRating(question, at)
  if (type === 'link')
    checkUrl(parseOptionalString(link, `${at}.link`, MAX_STRING_LENGTH), `${at}.link`, ['https', 'mailto'])
  checkBranching(question['branching'], questionCount, `${at}.branching`)
  if (!isAbsent(question['translations'])) {
    const translations = parseObject(question['translations'], `${at}.translations`)
    checkThat(Object.values(translations).every(isRecord), `${at}.translations`, 'must be an object of objects')
  }
  return question
}
