import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { bucket } from '../../src/evaluate/bucket.ts'

it('returns the first 15 hex digits of the digest divided by 0xfffffffffffffff', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('' as const, 'variant' as const),
      (key, id, salt) => {
        const digits = createHash('sha1').update(`${key}.`).update(id).update(salt).digest('hex').slice(0, 15)
        expect(bucket(`${key}.`, id, salt)[0]).toBe(parseInt(digits, 16) / Number(`0x${'f'.repeat(15)}`))
      },
    ),
    { numRuns: 500 },
  )
})
