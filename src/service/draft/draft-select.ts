import type { DraftDialect } from './draft-dialect.ts'
import { explainQuestion } from './explain-question.ts'
import { parseQuestion } from './parse-question.ts'
import type { ProjectNames } from './question.ts'
import { writeSelect } from './write-select.ts'

/** A SELECT for a question, and what it returns in words. */
export interface SelectDraft {
  readonly sql: string
  readonly explanation: string
}

/**
 * Drafts one SELECT from a question in English, by rules. Throws `DraftError` for a question that is not understood.
 *
 * @param now Milliseconds since 1970.
 */
export const draftSelect = (question: string, names: ProjectNames, now: number, dialect: DraftDialect): SelectDraft => {
  const parsed = parseQuestion(question, names, now)
  return { sql: writeSelect(parsed.question, dialect), explanation: explainQuestion(parsed) }
}
