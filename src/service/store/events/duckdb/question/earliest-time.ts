import { writeDateRange } from '../../../../insight/filter/sql/write-date-range.ts'
import type { QuestionOf } from '../../../../insight/question/questions.ts'
import type { Select } from './select.ts'

/** Reads the time of the earliest event since a time. */
export const answerEarliestTime = async (
  { since }: QuestionOf<'earliestTime'>,
  select: Select,
): Promise<number | null> => {
  const [[time = null] = []] = await select(
    `SELECT epoch_ms(min(timestamp)) FROM events WHERE ${writeDateRange({ from: since })}`,
  )
  return time === null ? null : Number(time)
}
