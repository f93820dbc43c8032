import { bind, quoteNumber } from '../../../../insight/filter/sql/bind.ts'
import { writeNumber } from '../../../../insight/filter/sql/order.ts'
import { nameBins } from '../../../../insight/question/number-bins.ts'
import type { ValueRule } from '../../../../insight/question/subject.ts'
import { quoteString } from '../../../../sql/quote.ts'

/** Writes what a rule makes of a text. */
export const applyRule = (text: string, rule: ValueRule | undefined): string => {
  switch (rule?.kind) {
    case 'bin':
      return writeBin(text, rule.bounds)
    case 'url':
      return bind(`rtrim(${text}, '/?#')`, 'url', `CASE WHEN url = '' THEN '/' ELSE url END`)
    default:
      return text
  }
}

/** The first and the last bin are open, for numbers that arrived after the bounds were chosen. */
const writeBin = (text: string, bounds: readonly number[]): string => {
  const names = nameBins(bounds).map(quoteString)
  const last = names.pop()
  if (last === undefined) return 'NULL::VARCHAR'
  const cases = names.map((name, index) => `WHEN number < ${quoteNumber(bounds[index + 1]!)} THEN ${name}`)
  const bins = ['WHEN number IS NULL THEN NULL', ...cases, `ELSE ${last}`]
  return bind(writeNumber(text), 'number', `CASE ${bins.join(' ')} END`)
}
