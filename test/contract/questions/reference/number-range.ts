import type { NumberRange } from '../../../../src/service/insight/question/number-bins.ts'
import type { NumberRangeQuestion } from '../../../../src/service/insight/question/number-range.ts'
import type { WorldEvent } from '../world.ts'
import { matches, readNumber, textOf } from './matches.ts'

/** The range of numbers, found one event at a time. */
export const answerNumberRange = (
  { selections, property }: NumberRangeQuestion,
  all: readonly WorldEvent[],
): NumberRange | null => {
  const numbers = selections.flatMap(({ events, range: { from = -Infinity, before = Infinity } }) =>
    all
      .filter(({ timestamp }) => timestamp >= from && timestamp < before)
      .filter((event) => matches(events.condition, event, events.matching))
      .flatMap((event) => readNumber(textOf(property, event)) ?? []),
  )
  return numbers.length === 0 ? null : { least: Math.min(...numbers), greatest: Math.max(...numbers) }
}
