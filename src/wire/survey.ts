/** One entry of `$survey_questions` in the event `survey sent`: a question with the user's response. */
export interface SurveyQuestion {
  readonly id: string
  readonly question: string | undefined
  /** A string, a number, or the strings of several choices; null when the user did not answer this question. */
  readonly response: unknown
}
