import { writeDateRange } from '../../../../insight/filter/sql/write-date-range.ts'
import type { QuestionOf } from '../../../../insight/question/questions.ts'
import type { Select } from './select.ts'

/** Counts events. */
export const answerEventCount = async ({ range }: QuestionOf<'countEvents'>, select: Select): Promise<number> => {
  const [[count = 0] = []] = await select(`SELECT count(*) FROM events WHERE ${writeDateRange(range)}`)
  return Number(count)
}
