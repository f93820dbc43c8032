import { expect, test } from 'vitest'
import type { NewSurvey, StoredSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { isRunning, offeredSurvey } from '../../../src/service/survey/offered-survey.ts'

const survey = (given: Partial<NewSurvey>): StoredSurvey => ({
  id: 's',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  given: { name: 'Checkout', type: 'api', questions: [], archived: false, ...given },
})
const at = (moment: string) => Date.parse(moment)
/** What a page that reads the answer then makes of it: it asks a survey that has a start and no end. */
const isAsked = (stored: StoredSurvey, now: number): boolean => {
  const { start_date, end_date } = offeredSurvey(stored, new Map(), now)
  return Boolean(start_date && !end_date)
}

test('lets pages ask a survey from its start to its end, and neither before nor after', () => {
  const planned = survey({ start_date: '2026-05-01T10:00:00.000Z', end_date: '2026-05-03T10:00:00.000Z' })
  for (const [moment, expected] of [
    ['2026-05-01T09:59:59.999Z', false],
    ['2026-05-01T10:00:00.000Z', true],
    ['2026-05-03T09:59:59.999Z', true],
    ['2026-05-03T10:00:00.000Z', false],
  ] as const) {
    expect([moment, isAsked(planned, at(moment)), isRunning(planned, at(moment))]).toEqual([moment, expected, expected])
  }
  const draft = survey({ start_date: null })
  expect([isAsked(draft, at('2026-05-01')), isRunning(draft, at('2026-05-01'))]).toEqual([false, false])
  const endless = survey({ start_date: '2026-05-01T00:00:00.000Z', end_date: null })
  expect(isAsked(endless, at('2036-05-01'))).toBe(true)
})

test('counts the rounds of a survey that is repeated, and stays in the last', () => {
  const repeated = survey({ start_date: '2026-05-01T00:00:00.000Z', iteration_count: 3, iteration_frequency_days: 10 })
  for (const [moment, round, start] of [
    ['2026-04-30T23:59:59Z', null, null],
    ['2026-05-01T00:00:00Z', 1, '2026-05-01T00:00:00.000Z'],
    ['2026-05-10T23:59:59Z', 1, '2026-05-01T00:00:00.000Z'],
    ['2026-05-11T00:00:00Z', 2, '2026-05-11T00:00:00.000Z'],
    ['2027-05-11T00:00:00Z', 3, '2026-05-21T00:00:00.000Z'],
  ] as const) {
    expect(offeredSurvey(repeated, new Map(), at(moment))).toMatchObject({
      current_iteration: round,
      current_iteration_start_date: start,
    })
  }
})
