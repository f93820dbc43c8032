import { negate } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const isSet: OperatorFactory = () => ({ resultWhenAbsent: false, presenceOnly: true, test: () => true })

/** Whether the property is present, whatever its value: null counts as set. */
export const presence: Readonly<Record<string, OperatorFactory>> = { is_set: isSet, is_not_set: negate(isSet) }
