import type { Json } from '../../../../wire/json.ts'
import { MISSING_VALUE, OTHER_VALUES } from '../../../insight/query/breakdown-marks.ts'
import { toText } from './read-json.ts'

/** What people call a group of a breakdown. */
export const nameGroup = (value: Json): string => {
  const values = (Array.isArray(value) ? (value as readonly Json[]) : [value]).map(toText)
  if (values.every((each) => each === OTHER_VALUES)) return 'Other'
  return values.map((each) => (each === MISSING_VALUE ? 'none' : each)).join(', ')
}
