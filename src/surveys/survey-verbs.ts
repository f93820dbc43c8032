import { EventName } from '../wire/event.ts'
import type { AnsweredQuestion } from '../wire/survey.ts'

/** One answer: text of an open or single-choice question, a rating, or the choices of a multiple-choice question. */
type SurveyAnswer = string | number | readonly string[]

/** One answer for the whole survey, or one per question id, in the order of the questions; null where none was given. */
export type SurveyResponse = SurveyAnswer | Readonly<Record<string, SurveyAnswer | null>>

export interface SurveyDetails {
  readonly name?: string | undefined
  /** Counts the runs of a repeated survey; marks of the person are kept per run. */
  readonly iteration?: number | undefined
  /** ISO 8601. */
  readonly iterationStartDate?: string | undefined
}

export interface SurveySentDetails extends SurveyDetails {
  /** Question id to its wording. */
  readonly questions?: Readonly<Record<string, string>> | undefined
  /** False while further answers of this submission follow; default true. */
  readonly completed?: boolean | undefined
  /** The same for all partial answers of one submission. */
  readonly submissionId?: string | undefined
}

export interface SurveyDismissedDetails extends SurveyDetails {
  /** Some questions were answered before; default false. */
  readonly partiallyCompleted?: boolean | undefined
}

/** What a page tells about its surveys. */
export interface SurveyVerbs {
  /** Records that a survey was shown to the user. */
  surveyShown(surveyId: string, details?: SurveyDetails): void
  /** Records an answer: one for the whole survey, or one per question id. */
  surveySent(surveyId: string, response: SurveyResponse, details?: SurveySentDetails): void
  /** Records that the user closed a survey without (all) answers. */
  surveyDismissed(surveyId: string, details?: SurveyDismissedDetails): void
}

/**
 * Answers per question stand under the question's id, and, as older readers look for them, under its index (the first
 * without one).
 */
const answers = (response: SurveyResponse, questions: SurveySentDetails['questions']): Record<string, unknown> => {
  if (typeof response !== 'object' || Array.isArray(response)) return { $survey_response: response }
  const properties: Record<string, unknown> = {}
  properties['$survey_questions'] = Object.entries(response ?? {}).map(([id, answer], index): AnsweredQuestion => {
    properties[index ? `$survey_response_${index}` : '$survey_response'] = answer
    properties[`$survey_response_${id}`] = answer
    return { id, question: questions?.[id], response: answer }
  })
  return properties
}

/** @param now Milliseconds since 1970. */
export const surveyVerbs = (capture: (event: string, properties: object) => void, now: () => number): SurveyVerbs => {
  /** @param mark Name of the mark that the person gets, per run of the survey; without one, the time. */
  const emit = (event: string, id: string, details: SurveyDetails = {}, own?: object, mark?: string): void => {
    const { name, iteration, iterationStartDate } = details
    capture(event, {
      $survey_id: id,
      $survey_name: name,
      $survey_iteration: iteration,
      $survey_iteration_start_date: iterationStartDate,
      ...own,
      $set: mark
        ? { [`$survey_${mark}/${[id, iteration ?? []].flat().join('/')}`]: true }
        : { $survey_last_seen_date: new Date(now()).toISOString() },
    })
  }
  return {
    surveyShown: (id, details) => emit(EventName.surveyShown, id, details),
    surveySent: (id, response, details = {}) =>
      emit(
        EventName.surveySent,
        id,
        details,
        {
          ...answers(response, details.questions),
          $survey_completed: details.completed ?? true,
          $survey_submission_id: details.submissionId,
        },
        'responded',
      ),
    surveyDismissed(id, details = {}) {
      emit(
        EventName.surveyDismissed,
        id,
        details,
        { $survey_partially_completed: !!details.partiallyCompleted },
        'dismissed',
      )
    },
  }
}
