import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { packTimes } from '../../../../../../src/service/store/events/duckdb/rows/pack-times.ts'
import { MAX_TIME_MS, MIN_TIME_MS } from '../../../../../../src/wire/bounds.ts'

test('packs milliseconds of all years as microseconds of 64 bits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: MIN_TIME_MS, max: MAX_TIME_MS })), (times) => {
      const packed = new BigInt64Array(packTimes(times).buffer)
      expect([...packed]).toEqual(times.map((time) => BigInt(time) * 1000n))
    }),
  )
})
