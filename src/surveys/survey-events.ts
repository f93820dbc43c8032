import { EventName } from '../wire/event.ts'

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

/** An event to capture, or why there is none. Properties that are undefined have no place in its JSON. */
export type SurveyEvent =
  | { readonly event: string; readonly properties: Record<string, unknown> }
  | { readonly event: undefined; readonly reason: string }

const about = (
  event: string,
  id: unknown,
  details: SurveyDetails,
  own: Record<string, unknown>,
  marks: (run: string) => Record<string, unknown>,
): SurveyEvent =>
  typeof id === 'string' && id !== ''
    ? {
        event,
        properties: {
          $survey_id: id,
          $survey_name: details.name,
          $survey_iteration: details.iteration,
          $survey_iteration_start_date: details.iterationStartDate,
          ...own,
          $set: marks(details.iteration === undefined ? id : `${id}/${details.iteration}`),
        },
      }
    : { event: undefined, reason: `"${event}" needs the id of the survey` }

/** @param nowMs Milliseconds since 1970. */
export const surveyShown = (id: string, nowMs: number, details: SurveyDetails = {}): SurveyEvent =>
  about(EventName.surveyShown, id, details, {}, () => ({ $survey_last_seen_date: new Date(nowMs).toISOString() }))

export const surveyDismissed = (id: string, details: SurveyDismissedDetails = {}): SurveyEvent =>
  about(
    EventName.surveyDismissed,
    id,
    details,
    { $survey_partially_completed: details.partiallyCompleted ?? false },
    (run) => ({ [`$survey_dismissed/${run}`]: true }),
  )

/**
 * Answers per question stand under the question's id, and, as older readers look for them, under its index (the first
 * without one).
 */
export const surveySent = (id: string, response: SurveyResponse, details: SurveySentDetails = {}): SurveyEvent => {
  const own: Record<string, unknown> = {}
  if (typeof response === 'object' && response !== null && !Array.isArray(response)) {
    const given = response as Readonly<Record<string, SurveyAnswer | null>>
    const questions = Object.keys(given)
    questions.forEach((_, index) => {
      own[index ? `$survey_response_${index}` : '$survey_response'] = given[questions[index]!]
    })
    for (const question of questions) own[`$survey_response_${question}`] = given[question]
    own['$survey_questions'] = questions.map((question) => ({
      id: question,
      question: details.questions?.[question],
      response: given[question],
    }))
  } else own['$survey_response'] = response
  own['$survey_completed'] = details.completed ?? true
  own['$survey_submission_id'] = details.submissionId
  return about(EventName.surveySent, id, details, own, (run) => ({ [`$survey_responded/${run}`]: true }))
}
