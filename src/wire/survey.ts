/** One entry of `$survey_questions` on `survey sent`. */
export interface AnsweredQuestion {
  readonly id: string
  readonly question: string | undefined
  /** A string, a number, or the strings of several choices; null without an answer. */
  readonly response: unknown
}
