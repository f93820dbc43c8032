import { decodeText } from './text-codec.ts'

/** Object ids of PostgreSQL's types (`pg_type`). */
const TYPES = { bigint: 20, text: 25, varchar: 1043, numeric: 1700 } as const

/** The types with a parser of the service: pg returns 64-bit numbers and sums as strings. */
const PARSERS: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  [TYPES.bigint, (value) => parseNumber(value)],
  [TYPES.numeric, (value) => parseNumber(value)],
  [TYPES.text, decodeText],
  [TYPES.varchar, decodeText],
])

/** Throws for a number that JavaScript cannot represent, instead of returning another one. */
const parseNumber = (value: string): number => {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`The metadata has the number ${value}, which is beyond 2^53.`)
}

/** The parser of values of a type in text format; undefined for that of pg. */
export const findParser = (type: number): ((value: string) => unknown) | undefined => PARSERS.get(type)
