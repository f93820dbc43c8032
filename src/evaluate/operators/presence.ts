import { negate } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const isSet: OperatorFactory = () => ({ ifAbsent: false, presenceOnly: true, test: () => true })

/** Operators that test whether the property is present, whatever its value: null is set, too. */
export const presenceOperators: Readonly<Record<string, OperatorFactory>> = { is_set: isSet, is_not_set: negate(isSet) }
