import type { OperatorFactory } from './operator.ts'

const compare = <T extends number | string>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0)

const comparing =
  (holds: (order: number) => boolean): OperatorFactory =>
  (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return 'compares with a number or a text only'
    const number = parseFloat(String(value))
    const text = String(value)
    return {
      absent: false,
      test: (property) => {
        if (typeof property !== 'string' && typeof property !== 'number') return false
        const other = parseFloat(String(property))
        if (!Number.isNaN(number) && !Number.isNaN(other)) return holds(compare(other, number))
        return holds(compare(String(property), text))
      },
    }
  }

/** Numbers by size, also when written as text; where one side is no number, texts by their order. */
export const order: Readonly<Record<string, OperatorFactory>> = {
  gt: comparing((order) => order > 0),
  gte: comparing((order) => order >= 0),
  lt: comparing((order) => order < 0),
  lte: comparing((order) => order <= 0),
}
