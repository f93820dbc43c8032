/** One entry of `$survey_questions` on `survey sent`. */
export interface AnsweredQuestion {
  readonly id: string
  readonly question: string | undefined
  /** A text, a number, or the texts of several choices; null when there was no answer. */
  readonly response: unknown
}
