import type { StickinessAnswer, StickinessQuestion } from '../../../insight/question/stickiness.ts'
import type { Rows } from './select.ts'

/** Reads the answer from rows of a number of periods, and of the actors that have so many. */
export const readStickiness = ({ periods }: StickinessQuestion, rows: Rows): StickinessAnswer => {
  const actors = periods.starts.map(() => 0)
  for (const [count, number] of rows) actors[Number(count) - 1] = Number(number)
  return { actors }
}
