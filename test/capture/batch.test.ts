import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchBody, takeBatch } from '../../src/capture/batch.ts'

describe('a batch', () => {
  it('is the longest run from the first that both bounds allow', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        (values, maxEvents, maxBytes) => {
          const records = values.map((value, index) => ({ key: String(index), value }))
          const size = (count: number): number =>
            values.slice(0, count).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
          const batch = takeBatch(records, maxEvents, maxBytes)
          expect(batch).toEqual(records.slice(0, batch.length))
          expect(batch.length).toBeLessThanOrEqual(maxEvents)
          if (batch.length > 1) expect(size(batch.length)).toBeLessThanOrEqual(maxBytes)
          const couldGrow = batch.length < Math.min(records.length, maxEvents)
          if (couldGrow) expect(size(batch.length + 1)).toBeGreaterThan(maxBytes)
          if (records.length) expect(batch.length).toBeGreaterThan(0)
        },
      ),
    )
  })

  it('body carries the events as they were serialised, and the key escaped', () => {
    const values = ['{"event":"a","n":1.50}', '{"event":"b"}']
    const records = values.map((value, index) => ({ key: String(index), value }))
    const body = batchBody('k"1', records, '2026-01-01T00:00:00.000Z', false)
    for (const value of values) expect(body).toContain(value)
    expect(JSON.parse(body)).toEqual({
      api_key: 'k"1',
      batch: [{ event: 'a', n: 1.5 }, { event: 'b' }],
      sent_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('of history says so on the envelope', () => {
    expect(JSON.parse(batchBody('k', [], '', true))).toMatchObject({ historical_migration: true })
  })
})
