import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBatchBody, takeBatch } from '../../src/capture/batch.ts'

describe('a batch', () => {
  it('contains as many first records as the limit allows, and at least one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 100 }),
        (values, maxLength) => {
          const records = values.map((value, index) => [String(index), value] as const)
          const size = (count: number): number =>
            values.slice(0, count).reduce((sum, value) => sum + value.length + 1, 0)
          const batch = takeBatch(records, maxLength)
          expect(batch).toEqual(records.slice(0, batch.length))
          if (batch.length > 1) expect(size(batch.length)).toBeLessThanOrEqual(maxLength)
          if (batch.length < records.length) expect(size(batch.length + 1)).toBeGreaterThan(maxLength)
          if (records.length) expect(batch.length).toBeGreaterThan(0)
        },
      ),
    )
  })

  it('becomes a body with the unchanged JSON of its events and an escaped key', () => {
    const values = ['{"event":"a","n":1.50}', '{"event":"b"}']
    const body = createBatchBody({ apiKey: 'k"1' }, values, Date.UTC(2026, 0, 1))
    for (const value of values) expect(body).toContain(value)
    expect(JSON.parse(body)).toEqual({
      api_key: 'k"1',
      batch: [{ event: 'a', n: 1.5 }, { event: 'b' }],
      sent_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('keeps its events in their place if the key looks like a part of the body', () => {
    const apiKey = '"batch":[]$&'
    expect(JSON.parse(createBatchBody({ apiKey }, ['{"event":"$&"}'], 0))).toMatchObject({
      api_key: apiKey,
      batch: [{ event: '$&' }],
    })
  })

  it('has its events and its time on a page that gives arrays and dates another JSON', () => {
    // As Prototype.js 1.6 does.
    vi.spyOn(Date.prototype, 'toJSON').mockReturnValue('0')
    const prototype = Array.prototype as { toJSON?: () => string }
    prototype.toJSON = () => '[]'
    onTestFinished(() => {
      delete prototype.toJSON
    })
    expect(JSON.parse(createBatchBody({ apiKey: 'k' }, ['{"event":"a"}'], 0))).toEqual({
      api_key: 'k',
      batch: [{ event: 'a' }],
      sent_at: '1970-01-01T00:00:00.000Z',
    })
  })

  it('sets historical_migration in the body of an import of history', () => {
    expect(JSON.parse(createBatchBody({ apiKey: 'k', historicalMigration: true }, [], 0))).toMatchObject({
      historical_migration: true,
    })
  })
})
