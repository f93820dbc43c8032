import { toComparableString } from '../../../../evaluate/operators/operator.ts'
import { compilePattern } from '../../../../evaluate/operators/pattern/compile-pattern.ts'
import type { PropertySql } from './property-sql.ts'
import { quoteString } from './quote.ts'
import { negate } from './sql-operator.ts'
import type { SqlOperator } from './sql-operator.ts'
import { MARK_WORDS, writePattern } from './write-pattern.ts'

/** Length in UTF-16 code units, as JavaScript counts. */
const writeLength = (text: string): string =>
  `(length(${text}) + length(regexp_replace(${text}, '[^\\x{10000}-\\x{10ffff}]', '', 'g')))`

const regex: SqlOperator = (value, { printed }: PropertySql) => {
  const source = toComparableString(value)!
  const compiled = compilePattern(source)
  if (compiled === undefined || typeof compiled === 'string') throw new TypeError(`${source} is not a pattern`)
  const { pattern, markedPattern } = writePattern(source)
  const { maxLength } = compiled
  // Fewer bytes than `maxLength` are also fewer code units.
  const isShort = `(strlen(${printed}) <= ${maxLength} OR ${writeLength(printed)} <= ${maxLength})`
  const isFound = `regexp_matches(${printed}, ${quoteString(pattern)})`
  if (markedPattern === undefined) return `(CASE WHEN ${isShort} THEN ${isFound} END)`
  const marked = `regexp_replace(${printed}, ${MARK_WORDS.map(quoteString).join(', ')})`
  const isFoundMarked = `regexp_matches(${marked}, ${quoteString(markedPattern)})`
  const isAscii = `strlen(${printed}) = length(${printed})`
  return `(CASE WHEN ${isShort} THEN CASE WHEN ${isAscii} THEN ${isFound} ELSE ${isFoundMarked} END END)`
}

export const regexOperators: Readonly<Record<string, SqlOperator>> = { regex, not_regex: negate(regex) }
