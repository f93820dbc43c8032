import type { Json } from '../../wire/json.ts'
import { compilePattern } from './pattern/compile-pattern.ts'
import { type Operator, type OperatorFactory, textOf } from './operator.ts'

/** Longest text that is searched; a longer one gives no verdict. With the pattern's own bound this bounds the time to milliseconds. */
const MAX_TEXT = 4_096

const NOT_ASCII = /[^\0-\x7f]/

/** Neither anything beyond ASCII nor a word boundary: what those mean depends on the engine and its version of Unicode. */
const PORTABLE = /^(?:[^\\\x80-\uffff]|\\[^bB\x80-\uffff])*$/

const matching =
  (wanted: boolean): OperatorFactory =>
  (value) => {
    const source = textOf(value) ?? ''
    const search = compilePattern(source)
    if (typeof search === 'string') return search
    // A pattern that is none matches nobody, not even in its negation: so the protocol's services have it.
    const never: Operator = { absent: !wanted, test: () => false, problem: 'is no regular expression' }
    if (!search) return never
    const isPortable = PORTABLE.test(source)
    return {
      absent: !wanted,
      test: (property, { complete }) => {
        const text = textOf(property)
        if (text === undefined || text.length > MAX_TEXT) return undefined
        if (!complete && source !== '' && (!isPortable || NOT_ASCII.test(text))) return undefined
        return search(text) === wanted
      },
    }
  }

/** Whether a filter value is a pattern, be it one that is not supported. One that is none matches nobody. */
export const isPattern = (value: Json | undefined): boolean =>
  value !== undefined && compilePattern(textOf(value) ?? '') !== undefined

/**
 * A search anywhere in the text, case-sensitive, in time linear in the text. Away from the service there is a verdict where
 * every engine gives the same one: pattern and text in ASCII, no `\b`.
 */
export const regex: Readonly<Record<string, OperatorFactory>> = { regex: matching(true), not_regex: matching(false) }
