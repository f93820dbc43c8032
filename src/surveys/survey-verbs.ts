import { EventName } from '../wire/event.ts'
import type { SurveyQuestion } from '../wire/survey.ts'

/** One answer: the string of an open or single-choice question, a rating, or the choices of a multiple-choice question. */
type SurveyAnswer = string | number | readonly string[]

/** One answer for the whole survey, or one per question id in the order of the questions; null for an unanswered question. */
export type SurveyResponse = SurveyAnswer | Readonly<Record<string, SurveyAnswer | null>>

export interface SurveyDetails {
  readonly name?: string | undefined
  /** Number of this run of a repeated survey. The person properties that mark a survey as answered or dismissed exist per run. */
  readonly iteration?: number | undefined
  /** ISO 8601. */
  readonly iterationStartDate?: string | undefined
}

export interface SurveySentDetails extends SurveyDetails {
  /** Question id to its wording. */
  readonly questions?: Readonly<Record<string, string>> | undefined
  /** False while more answers of this submission follow; default true. */
  readonly completed?: boolean | undefined
  /** The same id in all partial answers of one submission. */
  readonly submissionId?: string | undefined
}

export interface SurveyDismissedDetails extends SurveyDetails {
  /** True when some questions were answered before; default false. */
  readonly partiallyCompleted?: boolean | undefined
}

/** Survey events of a page. */
export interface SurveyVerbs {
  /** Records that a survey was shown to the user. */
  surveyShown(surveyId: string, details?: SurveyDetails): void
  /** Records the user's answer: one for the whole survey, or one per question id. */
  surveySent(surveyId: string, response: SurveyResponse, details?: SurveySentDetails): void
  /** Records that the user closed a survey before answering all questions. */
  surveyDismissed(surveyId: string, details?: SurveyDismissedDetails): void
}

/**
 * Returns the event properties of the answers. The answer to one of several questions has two properties: one named by the question's id,
 * and one named by its index, for older consumers. The name for the first question has no index.
 */
const answerProperties = (
  response: SurveyResponse,
  questions: SurveySentDetails['questions'],
): Record<string, unknown> => {
  if (typeof response !== 'object' || Array.isArray(response)) return { $survey_response: response }
  const properties: Record<string, unknown> = {}
  properties['$survey_questions'] = Object.entries(response ?? {}).map(([id, answer], index): SurveyQuestion => {
    properties[index ? `$survey_response_${index}` : '$survey_response'] = answer
    properties[`$survey_response_${id}`] = answer
    return { id, question: questions?.[id], response: answer }
  })
  return properties
}

/** @param now Milliseconds since 1970. */
export const createSurveyVerbs = (
  capture: (event: string, properties: object) => void,
  now: () => number,
): SurveyVerbs => {
  /**
   * @param mark `responded` or `dismissed`: sets the person property that marks this run of the survey. Default: sets the time of display.
   */
  const emit = (
    event: string,
    id: string,
    details: SurveyDetails = {},
    extraProperties?: object,
    mark?: string,
  ): void => {
    capture(event, {
      $survey_id: id,
      $survey_name: details.name,
      $survey_iteration: details.iteration,
      $survey_iteration_start_date: details.iterationStartDate,
      ...extraProperties,
      $set: mark
        ? { [`$survey_${mark}/${[id, details.iteration ?? []].flat().join('/')}`]: true }
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
          ...answerProperties(response, details.questions),
          $survey_completed: details.completed ?? true,
          $survey_submission_id: details.submissionId,
        },
        'responded',
      ),
    surveyDismissed: (id, details) =>
      emit(
        EventName.surveyDismissed,
        id,
        details,
        { $survey_partially_completed: !!details?.partiallyCompleted },
        'dismissed',
      ),
  }
}
