import { negated } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const isSet: OperatorFactory = () => ({ absent: false, presenceOnly: true, test: () => true })

/** Whether the property is there at all, whatever its value: null counts as set. */
export const presence: Readonly<Record<string, OperatorFactory>> = { is_set: isSet, is_not_set: negated(isSet) }
