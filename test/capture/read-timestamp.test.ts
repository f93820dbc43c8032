import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readTimestamp } from '../../src/capture/read-timestamp.ts'
import { parseIsoTime } from '../../src/wire/parse-iso-time.ts'

/** As `Temporal.Instant`: its conversion to a number throws. */
const instant = {
  valueOf() {
    throw new TypeError('use compare()')
  },
  toString: () => '2026-01-02T03:04:05Z',
}

const { proxy, revoke } = Proxy.revocable({}, {})
revoke()

it.each([
  [new Date(5), 5],
  ['2025-01-02T03:04:05+02:00', Date.UTC(2025, 0, 2, 1, 4, 5)],
  [0, 0],
  ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
  ['9999-12-31T23:59:59Z', Date.parse('9999-12-31T23:59:59Z')],
])('reads the time %s', (input, expected) => {
  expect(readTimestamp(input)).toBe(expected)
})

it.each([
  ['of Temporal', instant],
  ['that is a symbol', Symbol('x')],
  ['that is a BigInt', 1n],
  ['without a meaning', 'yesterday'],
  ['of an invalid date', new Date(NaN)],
  ['that is a boolean', true],
  ['before the year 1', '0000-12-31T23:59:59Z'],
  ['after the year 9999', 253_402_300_800_000],
  ['that is a revoked proxy', proxy],
])('does not know the time of a value %s', (_, input) => {
  expect(readTimestamp(input)).toBeUndefined()
})

it('returns nothing, or a time that the service reads, for any value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything({ withBigInt: true, withDate: true }), fc.integer()), (input) => {
      const time = readTimestamp(input)
      if (time !== undefined) expect(parseIsoTime(new Date(time).toISOString())).toBe(time)
    }),
  )
})
