import type { NumberRange } from '../../../insight/question/number-bins.ts'
import type { NumberRangeQuestion } from '../../../insight/question/number-range.ts'
import type { Engine } from './engine.ts'
import { createEventSource } from './event-source.ts'
import type { Select } from './select.ts'

/** Answers what range the numbers of a property have: one SELECT. */
export const answerNumberRange = async (
  question: NumberRangeQuestion,
  select: Select,
  engine: Engine,
): Promise<NumberRange | null> => {
  const [[least = null, greatest = null] = []] = await select(writeNumberRange(question, engine))
  return least === null ? null : { least: Number(least), greatest: Number(greatest) }
}

const writeNumberRange = ({ selections, property }: NumberRangeQuestion, engine: Engine): string => {
  const ranges = selections.map(({ events, range }) => {
    const source = createEventSource(events, engine)
    const number = engine.toNumber(source.writeText(property))
    const rows = `SELECT ${number} AS number ${source.writeFrom(range)}`
    return `(${source.toQuery(`SELECT min(number) AS least, max(number) AS greatest FROM (${rows})`)})`
  })
  return `SELECT min(least), max(greatest) FROM (${ranges.join(' UNION ALL ')})`
}
