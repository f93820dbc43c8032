import type { Json } from '../../wire/json.ts'
import { compilePattern } from './pattern/compile-pattern.ts'
import { type Operator, type OperatorFactory, textOf } from './operator.ts'

/** Longest text that is searched; a longer one gives no verdict. With the pattern's own bound this bounds the time to milliseconds. */
const MAX_TEXT = 4_096

const matching =
  (wanted: boolean): OperatorFactory =>
  (value) => {
    const pattern = compilePattern(textOf(value))
    if (typeof pattern === 'string') return pattern
    // A pattern that is none matches nobody, not even in its negation: so the protocol's services have it.
    const never: Operator = { absent: !wanted, test: () => false }
    if (!pattern) return never
    return {
      absent: !wanted,
      test: (property) => {
        const text = textOf(property)
        return text.length > MAX_TEXT ? undefined : pattern(text) === wanted
      },
    }
  }

/** Whether a filter value is a pattern, be it one that is not supported. One that is none matches nobody. */
export const isPattern = (value: Json | undefined): boolean =>
  value !== undefined && compilePattern(textOf(value)) !== undefined

/** A search anywhere in the text, case-sensitive, in time linear in the text. */
export const regex: Readonly<Record<string, OperatorFactory>> = { regex: matching(true), not_regex: matching(false) }
