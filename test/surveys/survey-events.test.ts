import { describe, expect, it } from 'vitest'
import { surveyDismissed, surveySent, surveyShown } from '../../src/surveys/survey-events.ts'

describe('survey events', () => {
  it('says that a survey was shown, and when the person last saw one', () => {
    expect(
      surveyShown('s1', Date.UTC(2026, 0, 2), { name: 'NPS', iteration: 2, iterationStartDate: '2026-01-01' }),
    ).toEqual({
      event: 'survey shown',
      properties: {
        $survey_id: 's1',
        $survey_name: 'NPS',
        $survey_iteration: 2,
        $survey_iteration_start_date: '2026-01-01',
        $set: { $survey_last_seen_date: '2026-01-02T00:00:00.000Z' },
      },
    })
  })

  it('marks the person who dismissed a survey, per run of it', () => {
    expect(surveyDismissed('s1')).toEqual({
      event: 'survey dismissed',
      properties: { $survey_id: 's1', $survey_partially_completed: false, $set: { '$survey_dismissed/s1': true } },
    })
    expect(surveyDismissed('s1', { iteration: 3, partiallyCompleted: true })).toMatchObject({
      properties: { $survey_partially_completed: true, $set: { '$survey_dismissed/s1/3': true } },
    })
  })

  it.each(['Great', 0, ['a', 'b']])('sends the single answer %j as $survey_response', (answer) => {
    expect(surveySent('s1', answer, { submissionId: 'sub' })).toEqual({
      event: 'survey sent',
      properties: {
        $survey_id: 's1',
        $survey_response: answer,
        $survey_completed: true,
        $survey_submission_id: 'sub',
        $set: { '$survey_responded/s1': true },
      },
    })
  })

  it('sends answers per question under id and index, with the wordings known', () => {
    expect(
      surveySent('s1', { q1: 9, q2: ['x'], q3: null }, { questions: { q1: 'How likely?' }, completed: false }),
    ).toEqual({
      event: 'survey sent',
      properties: {
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
    })
  })

  it.each(['', undefined, 7])('makes no event for the id %j and says why', (id) => {
    for (const made of [surveyShown(id as string, 0), surveyDismissed(id as string), surveySent(id as string, 'x')])
      expect(made).toEqual({ event: undefined, reason: expect.stringContaining('needs the id of the survey') })
  })
})
