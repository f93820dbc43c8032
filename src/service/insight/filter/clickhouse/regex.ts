import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import { compilePattern, MAX_INPUT_LENGTH, MAX_STEPS } from '../../../../evaluate/operators/pattern/compile-pattern.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { negate } from '../sql/sql-operator.ts'
import type { SqlOperator } from '../sql/sql-operator.ts'
import { MARK_WORDS, writePattern } from '../sql/write-pattern.ts'
import { bind } from './bind.ts'

/** Length of `value` in UTF-16 code units, as JavaScript counts. */
const LENGTH = `lengthUTF8(value) + countMatches(value, ${quoteString('[\\x{10000}-\\x{10ffff}]')})`

const [WORD, MARKED_WORD] = MARK_WORDS
const MARKED_VALUE = `replaceRegexpAll(value, ${quoteString(WORD)}, ${quoteString(MARKED_WORD)})`

/** Writes a search of `value`, which is not too long. */
const writeSearch = (source: string): string => {
  const { pattern, markedPattern } = writePattern(source)
  const isFound = `match(value, ${quoteString(pattern)})`
  if (markedPattern === undefined) return isFound
  const isFoundMarked = `match(${MARKED_VALUE}, ${quoteString(markedPattern)})`
  return `if(length(value) = lengthUTF8(value), ${isFound}, ${isFoundMarked})`
}

const regex: SqlOperator = (value, { printed }) => {
  const source = toComparableString(value)!
  const compiled = compilePattern(source)
  if ('reason' in compiled) throw new TypeError(`The pattern ${source} ${compiled.reason}.`)
  const maxLength = Math.min(MAX_INPUT_LENGTH, Math.floor(MAX_STEPS / compiled.programSize))
  // Fewer bytes than `maxLength` are also fewer code units.
  const isShort = `length(value) <= ${maxLength} OR ${LENGTH} <= ${maxLength}`
  return bind(printed, 'value', `if(${isShort}, ${writeSearch(source)}, NULL)`)
}

export const regexOperators: Readonly<Record<string, SqlOperator>> = { regex, not_regex: negate(regex) }
