import { isRecord } from '../../wire/json.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import {
  checkAddress,
  checkSwitches,
  isAbsent,
  listAt,
  must,
  noteAt,
  recordAt,
  textAt,
} from '../flags/definitions/check.ts'

/** Longest question, choice, label and description, in characters: pages get them all. */
const MAX_TEXT_LENGTH = 10_000

const TYPES = ['open', 'link', 'rating', 'single_choice', 'multiple_choice'] as const
const SCALES = [2, 3, 5, 7, 10]
const BRANCHING_TYPES = ['next_question', 'end', 'response_based', 'specific_question'] as const
/** Texts beside the question that clients show. */
const NOTES = ['description', 'buttonText', 'lowerBoundLabel', 'upperBoundLabel']

/** Throws `DefinitionError` unless `word` is one of `words`. */
export const checkWord = (word: Json | undefined, words: readonly string[], at: string): void =>
  must(
    words.some((known) => known === word),
    at,
    `must be one of ${words.join(', ')}`,
  )

const checkChoices = (choices: Json | undefined, at: string): void => {
  const list = listAt(choices, at)
  must(list.length > 0, at, 'must have at least one choice')
  for (const [index, choice] of list.entries()) textAt(choice, `${at}[${index}]`, MAX_TEXT_LENGTH)
}

const checkRating = ({ display, scale }: JsonObject, at: string): void => {
  checkWord(display, ['number', 'emoji'], `${at}.display`)
  must(
    SCALES.some((known) => known === scale),
    `${at}.scale`,
    `must be one of ${SCALES.join(', ')}`,
  )
}

/** Where an answer may lead: a question's place in the list, or a word. */
const checkStep = (step: Json | undefined, count: number, at: string, words: readonly string[] = []): void => {
  const isPlace = Number.isSafeInteger(step) && Number(step) >= 0 && Number(step) < count
  const or = words.map((word) => `, or "${word}"`).join('')
  must(
    isPlace || words.some((word) => word === step),
    at,
    `must be the place of a question, from 0 to ${count - 1}${or}`,
  )
}

const checkBranching = (given: Json | undefined, count: number, at: string): void => {
  if (isAbsent(given)) return
  const { type, index, responseValues } = recordAt(given, at)
  checkWord(type, BRANCHING_TYPES, `${at}.type`)
  if (type === 'specific_question') checkStep(index, count, `${at}.index`)
  if (type === 'response_based')
    for (const [answer, step] of Object.entries(recordAt(responseValues, `${at}.responseValues`)))
      checkStep(step, count, `${at}.responseValues.${answer}`, ['end', 'next_question'])
}

/**
 * Checks one question of a survey, `count` questions long. Fields that are not known stay.
 *
 * @throws DefinitionError for one that clients could not ask.
 */
export const parseQuestion = (given: Json, at: string, count: number): JsonObject => {
  const question = recordAt(given, at)
  const { type, link } = question
  checkWord(type, TYPES, `${at}.type`)
  textAt(question['question'], `${at}.question`, MAX_TEXT_LENGTH)
  for (const name of NOTES) noteAt(question[name], `${at}.${name}`, MAX_TEXT_LENGTH)
  if (!isAbsent(question['descriptionContentType']))
    checkWord(question['descriptionContentType'], ['text', 'html'], `${at}.descriptionContentType`)
  checkSwitches(question, ['optional', 'hasOpenChoice', 'shuffleOptions', 'skipSubmitButton'], `${at}.`)
  if (type === 'single_choice' || type === 'multiple_choice') checkChoices(question['choices'], `${at}.choices`)
  if (type === 'rating') checkRating(question, at)
  if (type === 'link') checkAddress(noteAt(link, `${at}.link`, MAX_TEXT_LENGTH), `${at}.link`, ['https', 'mailto'])
  checkBranching(question['branching'], count, `${at}.branching`)
  if (!isAbsent(question['translations'])) {
    const translations = recordAt(question['translations'], `${at}.translations`)
    must(Object.values(translations).every(isRecord), `${at}.translations`, 'must be an object of objects')
  }
  return question
}
