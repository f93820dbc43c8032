import { expect, test } from 'vitest'
import type { NewSurvey, StoredSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { isRunning, toPublicSurvey } from '../../../src/service/survey/public-survey.ts'

const survey = (fields: Partial<NewSurvey>): StoredSurvey => ({
  id: 's',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  definition: { name: 'Checkout', type: 'api', questions: [], archived: false, ...fields },
})
const at = (time: string) => Date.parse(time)
/** Whether a client shows the survey: it needs a start and no end. */
const isShown = (stored: StoredSurvey, now: number): boolean => {
  const { start_date, end_date } = toPublicSurvey(stored, new Map(), now)
  return Boolean(start_date && !end_date)
}

test('lets clients show a survey only between its start and its end', () => {
  const planned = survey({ start_date: '2026-05-01T10:00:00.000Z', end_date: '2026-05-03T10:00:00.000Z' })
  for (const [time, expected] of [
    ['2026-05-01T09:59:59.999Z', false],
    ['2026-05-01T10:00:00.000Z', true],
    ['2026-05-03T09:59:59.999Z', true],
    ['2026-05-03T10:00:00.000Z', false],
  ] as const) {
    expect([time, isShown(planned, at(time)), isRunning(planned, at(time))]).toEqual([time, expected, expected])
  }
  const draft = survey({ start_date: null })
  expect([isShown(draft, at('2026-05-01')), isRunning(draft, at('2026-05-01'))]).toEqual([false, false])
  const endless = survey({ start_date: '2026-05-01T00:00:00.000Z', end_date: null })
  expect(isShown(endless, at('2036-05-01'))).toBe(true)
})

test('counts the iterations of a recurring survey up to the last one', () => {
  const recurring = survey({ start_date: '2026-05-01T00:00:00.000Z', iteration_count: 3, iteration_frequency_days: 10 })
  for (const [time, iteration, start] of [
    ['2026-04-30T23:59:59Z', null, null],
    ['2026-05-01T00:00:00Z', 1, '2026-05-01T00:00:00.000Z'],
    ['2026-05-10T23:59:59Z', 1, '2026-05-01T00:00:00.000Z'],
    ['2026-05-11T00:00:00Z', 2, '2026-05-11T00:00:00.000Z'],
    ['2027-05-11T00:00:00Z', 3, '2026-05-21T00:00:00.000Z'],
  ] as const) {
    expect(toPublicSurvey(recurring, new Map(), at(time))).toMatchObject({
      current_iteration: iteration,
      current_iteration_start_date: start,
    })
  }
})
