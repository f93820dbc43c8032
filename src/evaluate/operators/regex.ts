import type { Json } from '../../wire/json.ts'
import { compilePattern } from './pattern/compile-pattern.ts'
import { textOf } from './operator.ts'
import type { Operator, OperatorFactory } from './operator.ts'

const NOT_ASCII = /[^\0-\x7f]/

/** Neither anything beyond ASCII nor a word boundary: what those mean depends on the engine and its version of Unicode. */
const PORTABLE = /^(?:[^\\\x80-\uffff]|\\[^bB\x80-\uffff])*$/

const matching =
  (wanted: boolean): OperatorFactory =>
  (value) => {
    const source = textOf(value)
    if (source === undefined) return 'has a value that cannot be printed'
    const search = compilePattern(source)
    if (typeof search === 'string') return search
    // A pattern that is none matches nobody, not even in its negation: so the protocol's services have it.
    const never: Operator = { absent: !wanted, test: () => false, problem: 'is no regular expression' }
    if (!search) return never
    const isPortable = PORTABLE.test(source)
    return {
      absent: !wanted,
      cells: search.cells,
      test: (property, { complete }) => {
        const text = textOf(property)
        if (text === undefined) return undefined
        if (!complete && source !== '' && (!isPortable || NOT_ASCII.test(text))) return undefined
        const found = search.find(text)
        return found === undefined ? undefined : found === wanted
      },
    }
  }

/** Whether a filter value is a pattern, be it one that is not supported. One that is none matches nobody. */
export const isPattern = (value: Json | undefined): boolean => {
  const source = value === undefined ? undefined : textOf(value)
  return source !== undefined && compilePattern(source) !== undefined
}

/**
 * A search anywhere in the text, case-sensitive, in bounded time: a text too long for the pattern gives no verdict. Away from the service there is a verdict where
 * every engine gives the same one: pattern and text in ASCII, no `\b`.
 */
export const regex: Readonly<Record<string, OperatorFactory>> = { regex: matching(true), not_regex: matching(false) }
