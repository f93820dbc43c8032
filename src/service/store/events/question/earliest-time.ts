import type { Engine } from './engine.ts'
import type { QuestionOf } from '../../../insight/question/questions.ts'
import type { Select } from './select.ts'

/** Reads the time of the earliest event since a time. */
export const answerEarliestTime = async (
  { since }: QuestionOf<'earliestTime'>,
  select: Select,
  { milliseconds, dateRange }: Engine,
): Promise<number | null> => {
  const [[time = null] = []] = await select(
    `SELECT ${milliseconds('min(timestamp)')} FROM events WHERE ${dateRange({ from: since })}`,
  )
  return time === null ? null : Number(time)
}
