import { expect, test } from 'vitest'
import { DefinitionError } from '../../../src/service/flags/definitions/definition-error.ts'
import { parseSurvey } from '../../../src/service/survey/parse-survey.ts'
import type { Json, JsonObject } from '../../../src/wire/json.ts'

const open = { type: 'open', question: 'How was it?' }
const survey = (fields: JsonObject): Json => ({ name: 'Checkout', type: 'popover', questions: [open], ...fields })
const parse = (fields: JsonObject) => parseSurvey(survey(fields), () => 'new')
const catchError = (fields: JsonObject): DefinitionError => {
  try {
    parse(fields)
  } catch (error) {
    if (error instanceof DefinitionError) return error
    throw error
  }
  throw new Error('It did not throw.')
}

test('accepts every kind of question and branching', () => {
  const questions: JsonObject[] = [
    { ...open, id: '0', branching: { type: 'next_question' } },
    { id: '1', type: 'link', question: 'See?', link: 'https://shop.example/help', buttonText: 'Help' },
    {
      id: '2',
      type: 'rating',
      question: 'Stars?',
      display: 'number',
      scale: 10,
      branching: { type: 'response_based', responseValues: { detractors: 3, promoters: 'end' } },
    },
    { id: '3', type: 'single_choice', question: 'Which?', choices: ['a', 'b'], hasOpenChoice: true },
    {
      id: '4',
      type: 'multiple_choice',
      question: '<b>Which?</b>',
      descriptionContentType: 'html',
      choices: ['a'],
      branching: { type: 'specific_question', index: 0 },
      translations: { fr: { question: 'Lesquels ?' } },
    },
  ]
  expect(parse({ questions }).questions).toEqual(questions)
})

test('converts times to UTC, and removes the fields that the store sets', () => {
  const input = { id: 'x', version: 7, created_at: 'x', updated_at: 'x', start_date: '2026-05-01T12:00:00+02:00' }
  expect(parse({ ...input, end_date: '2026-06-01' })).toEqual({
    name: 'Checkout',
    type: 'popover',
    questions: [{ ...open, id: 'new' }],
    start_date: '2026-05-01T10:00:00.000Z',
    end_date: '2026-06-01T00:00:00.000Z',
    archived: false,
  })
})

const choice = { type: 'single_choice', question: 'Which?' }
const rating = { type: 'rating', question: 'Stars?', display: 'emoji', scale: 5 }
const branch = (branching: JsonObject): JsonObject => ({ questions: [{ ...open, branching }] })

test.each<[string, JsonObject, string]>([
  ['name', { name: '  ' }, 'not blank'],
  ['description', { description: 5 }, 'must be a string'],
  ['type', { type: 'banner' }, 'popover, api, widget, external_survey'],
  ['questions', { questions: null }, 'must be an array'],
  ['questions', { questions: [] }, '1 to 100 questions'],
  ['questions[0]', { questions: ['?'] }, 'must be an object'],
  ['questions[0].type', { questions: [{ ...open, type: 'essay' }] }, 'open, link, rating'],
  ['questions[0].question', { questions: [{ type: 'open', question: '' }] }, 'must be a string'],
  ['questions[0].id', { questions: [{ ...open, id: 5 }] }, 'must be a non-empty string'],
  ['questions[1].id', { questions: [open, open] }, 'must be unique'],
  ['questions[0].description', { questions: [{ ...open, description: [] }] }, 'must be a string'],
  ['questions[0].descriptionContentType', { questions: [{ ...open, descriptionContentType: 'md' }] }, 'text, html'],
  ['questions[0].optional', { questions: [{ ...open, optional: 'yes' }] }, 'true or false'],
  ['questions[0].translations', { questions: [{ ...open, translations: { fr: 'x' } }] }, 'an object of objects'],
  ['questions[0].link', { questions: [{ ...open, type: 'link', link: 'javascript:alert(1)' }] }, 'https or mailto'],
  ['questions[0].choices', { questions: [choice] }, 'must be an array'],
  ['questions[0].choices', { questions: [{ ...choice, choices: [] }] }, 'at least one'],
  ['questions[0].choices[1]', { questions: [{ ...choice, choices: ['a', ''] }] }, 'must be a string'],
  ['questions[0].scale', { questions: [{ ...rating, scale: 4 }] }, '2, 3, 5, 7, 10'],
  ['questions[0].display', { questions: [{ ...rating, display: 'stars' }] }, 'number, emoji'],
  ['questions[0].branching.type', branch({ type: 'goto' }), 'next_question'],
  ['questions[0].branching.index', branch({ type: 'specific_question', index: 1 }), 'from 0 to 0'],
  [
    'questions[0].branching.responseValues.a',
    branch({ type: 'response_based', responseValues: { a: 'stop' } }),
    'or "end"',
  ],
  ['conditions', { conditions: [] }, 'must be an object'],
  ['conditions.url', { conditions: { url: 5 } }, 'must be a string'],
  ['conditions.url', { conditions: { url: '(', urlMatchType: 'regex' } }, 'not a valid regular expression'],
  ['conditions.urlMatchType', { conditions: { urlMatchType: 'like' } }, 'exact, is_not'],
  ['conditions.seenSurveyWaitPeriodInDays', { conditions: { seenSurveyWaitPeriodInDays: -1 } }, '0 or more'],
  ['conditions.events', { conditions: { events: ['paid'] } }, 'must be an object'],
  ['conditions.events.values[0].name', { conditions: { events: { values: [{}] } } }, 'must be a non-empty string'],
  ['appearance', { appearance: 'dark' }, 'must be an object'],
  ['archived', { archived: 'no' }, 'true or false'],
  ['schedule', { schedule: 'daily' }, 'once, recurring, always'],
  ['iteration_frequency_days', { iteration_frequency_days: 0 }, 'from 1'],
  ['linked_flag_id', { linked_flag_id: 'a' }, 'whole number'],
  ['start_date', { start_date: 'tomorrow' }, 'ISO 8601'],
  ['start_date', { start_date: '2026-05-01T12:00:00' }, 'with its time zone'],
  ['start_date', { start_date: '2026-13-01' }, 'ISO 8601'],
  ['start_date', { start_date: '2026-02-31' }, 'ISO 8601'],
  ['start_date', { start_date: '2025-02-29T10:00:00Z' }, 'ISO 8601'],
  ['end_date', { start_date: '2026-05-02', end_date: '2026-05-01' }, 'before start_date'],
])('rejects an invalid %s and says what is valid (%#)', (attr, fields, rule) => {
  const error = catchError(fields)
  expect(error.attr).toBe(attr)
  expect(error.message).toContain(rule)
})
