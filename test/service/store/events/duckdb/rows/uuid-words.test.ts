import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packUuids, toUuid } from '../../../../../../src/service/store/events/duckdb/rows/uuid-words.ts'

describe('toUuid', () => {
  it('returns the uuid that was packed', () => {
    fc.assert(
      fc.property(fc.array(fc.uuid(), { minLength: 1 }), (uuids) => {
        const words = packUuids(uuids)
        expect(uuids.map((_, place) => toUuid(words, place))).toEqual(uuids)
      }),
    )
  })
})
