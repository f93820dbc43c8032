import { describe, expect, it } from 'vitest'
import { createSurveyVerbs } from '../../src/surveys/survey-verbs.ts'
import type { SurveyVerbs } from '../../src/surveys/survey-verbs.ts'

/** The events that a call captures, as on the wire. */
const capturedEvents = (call: (verbs: SurveyVerbs) => void): unknown[][] => {
  const events: unknown[][] = []
  call(
    createSurveyVerbs(
      (event, properties) => events.push([event, JSON.parse(JSON.stringify(properties))]),
      () => Date.UTC(2026, 0, 2),
    ),
  )
  return events
}

describe('survey events', () => {
  it('record that a survey was shown, and set its time on the person', () => {
    const details = { name: 'NPS', iteration: 2, iterationStartDate: '2026-01-01' }
    expect(capturedEvents((verbs) => verbs.surveyShown('s1', details))).toEqual([
      [
        'survey shown',
        {
          $survey_id: 's1',
          $survey_name: 'NPS',
          $survey_iteration: 2,
          $survey_iteration_start_date: '2026-01-01',
          $set: { $survey_last_seen_date: '2026-01-02T00:00:00.000Z' },
        },
      ],
    ])
  })

  it('mark a run of a survey as dismissed by the person', () => {
    const events = capturedEvents((verbs) => {
      verbs.surveyDismissed('s1')
      verbs.surveyDismissed('s1', { iteration: 3, partiallyCompleted: true })
    })
    expect(events).toEqual([
      [
        'survey dismissed',
        { $survey_id: 's1', $survey_partially_completed: false, $set: { '$survey_dismissed/s1': true } },
      ],
      [
        'survey dismissed',
        {
          $survey_id: 's1',
          $survey_iteration: 3,
          $survey_partially_completed: true,
          $set: { '$survey_dismissed/s1/3': true },
        },
      ],
    ])
  })

  it.each(['Great', 0, ['a', 'b']])('send the single answer %j as $survey_response', (answer) => {
    expect(capturedEvents((verbs) => verbs.surveySent('s1', answer, { submissionId: 'sub' }))).toEqual([
      [
        'survey sent',
        {
          $survey_id: 's1',
          $survey_response: answer,
          $survey_completed: true,
          $survey_submission_id: 'sub',
          $set: { '$survey_responded/s1': true },
        },
      ],
    ])
  })

  it('send the answer to each question by its id and by its index', () => {
    const answers = { q1: 9, q2: ['x'], q3: null }
    const details = { questions: { q1: 'How likely?' }, completed: false }
    expect(capturedEvents((verbs) => verbs.surveySent('s1', answers, details))).toEqual([
      [
        'survey sent',
        {
          $survey_id: 's1',
          $survey_response: 9,
          $survey_response_1: ['x'],
          $survey_response_2: null,
          $survey_response_q1: 9,
          $survey_response_q2: ['x'],
          $survey_response_q3: null,
          $survey_questions: [
            { id: 'q1', question: 'How likely?', response: 9 },
            { id: 'q2', response: ['x'] },
            { id: 'q3', response: null },
          ],
          $survey_completed: false,
          $set: { '$survey_responded/s1': true },
        },
      ],
    ])
  })
})
