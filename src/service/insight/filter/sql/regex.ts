import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import { compilePattern, MAX_INPUT_LENGTH, MAX_STEPS } from '../../../../evaluate/operators/pattern/compile-pattern.ts'
import { quoteString } from '../../../sql/quote.ts'
import { bind } from './bind.ts'
import { negate } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'
import { MARK_WORDS, writePattern } from './write-pattern.ts'

/** Length of `value` in UTF-16 code units, as JavaScript counts. */
const LENGTH = "length(value) + length(regexp_replace(value, '[^\\x{10000}-\\x{10ffff}]', '', 'g'))"

const MARKED_VALUE = `regexp_replace(value, ${MARK_WORDS.map(quoteString).join(', ')})`

/** Writes a search of `value`, which is not too long. */
const writeSearch = (source: string): string => {
  const { pattern, markedPattern } = writePattern(source)
  const isFound = `regexp_matches(value, ${quoteString(pattern)})`
  if (markedPattern === undefined) return isFound
  const isFoundMarked = `regexp_matches(${MARKED_VALUE}, ${quoteString(markedPattern)})`
  return `CASE WHEN strlen(value) = length(value) THEN ${isFound} ELSE ${isFoundMarked} END`
}

const regex: SqlOperator = (value, { printed }) => {
  const source = toComparableString(value)!
  const compiled = compilePattern(source)
  if ('reason' in compiled) throw new TypeError(`The pattern ${source} ${compiled.reason}.`)
  const maxLength = Math.min(MAX_INPUT_LENGTH, Math.floor(MAX_STEPS / compiled.programSize))
  // Fewer bytes than `maxLength` are also fewer code units.
  const isShort = `strlen(value) <= ${maxLength} OR ${LENGTH} <= ${maxLength}`
  return bind(printed, 'value', `CASE WHEN ${isShort} THEN ${writeSearch(source)} END`)
}

export const regexOperators: Readonly<Record<string, SqlOperator>> = { regex, not_regex: negate(regex) }
