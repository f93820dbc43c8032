import type { LifecycleAnswer, LifecycleQuestion, LifecycleStatus } from '../../../insight/question/lifecycle.ts'
import type { Rows } from './select.ts'

/** Reads the answer from rows of status, period and number of actors. */
export const readLifecycle = ({ periods }: LifecycleQuestion, rows: Rows): LifecycleAnswer => {
  const createNumbers = (): number[] => periods.starts.slice(1).map(() => 0)
  const answer: Record<LifecycleStatus, number[]> = {
    new: createNumbers(),
    returning: createNumbers(),
    resurrecting: createNumbers(),
    dormant: createNumbers(),
  }
  for (const [status, period, count] of rows) answer[status as LifecycleStatus][Number(period) - 1] = Number(count)
  return answer
}
