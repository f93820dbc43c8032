import type { Json } from '../../wire/json.ts'
import { momentOf, relativeMoment } from './moment.ts'
import { serviceOnly } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const thresholdOf = (value: Json): ((now: number) => number) | undefined => {
  const relative = typeof value === 'string' ? relativeMoment(value) : undefined
  if (relative) return relative
  const moment = momentOf(value)
  return moment === undefined ? undefined : () => moment
}

const comparing =
  (holds: (moment: number, threshold: number) => boolean): OperatorFactory =>
  (value) => {
    const threshold = thresholdOf(value)
    return {
      absent: false,
      problem: threshold ? undefined : 'needs a date, such as "2026-08-01" or "-30d"',
      test: (property, { complete, now }) => {
        if (property === null) return false
        const moment = momentOf(property)
        if (!threshold || moment === undefined) return complete ? false : undefined
        return holds(moment, threshold(now))
      },
    }
  }

/** Moments against a date or a relative date. What is no date is nowhere in time: no match in the service, no verdict elsewhere. */
export const date: Readonly<Record<string, OperatorFactory>> = {
  is_date_before: comparing((moment, threshold) => moment < threshold),
  is_date_after: comparing((moment, threshold) => moment > threshold),
  is_date_exact: serviceOnly(comparing((moment, threshold) => moment === threshold)),
}
