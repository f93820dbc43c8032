import { nameBins } from '../../../insight/question/number-bins.ts'
import type { ValueRule } from '../../../insight/question/subject.ts'
import type { Engine } from './engine.ts'

/** Writes what a rule makes of a text. */
export const applyRule = (text: string, rule: ValueRule | undefined, engine: Engine): string => {
  switch (rule?.kind) {
    case 'bin':
      return writeBin(text, rule.bounds, engine)
    case 'url':
      return engine.bind(engine.cutUrl(text), 'url', `CASE WHEN url = '' THEN '/' ELSE url END`)
    default:
      return text
  }
}

/** The first and the last bin are open, for numbers that arrived after the bounds were chosen. */
const writeBin = (
  text: string,
  bounds: readonly number[],
  { quoteString, quoteNumber, bind, toNumber, nullText }: Engine,
): string => {
  const names = nameBins(bounds).map(quoteString)
  const last = names.pop()
  if (last === undefined) return nullText
  const cases = names.map((name, index) => `WHEN number < ${quoteNumber(bounds[index + 1]!)} THEN ${name}`)
  const bins = ['WHEN number IS NULL THEN NULL', ...cases, `ELSE ${last}`]
  return bind(toNumber(text), 'number', `CASE ${bins.join(' ')} END`)
}
