import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SendReport } from '../../src/capture/delivery.ts'
import { encodeSync } from '../../src/capture/encode.ts'
import { readSpill, sendBeacons, shrinkSpill, SPILL_MAX, writeSpill, type Taken } from '../../src/capture/unload.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { UNLOAD_MAX_BYTES } from '../../src/wire/limits.ts'
import { bodyJson } from '../support/fake-service.ts'

const records = (...sizes: number[]): StoreRecord[] =>
  sizes.map((size, n) => ({ key: `e/${n}`, value: JSON.stringify({ n, text: 'x'.repeat(size) }) }))

const send = (
  waiting: readonly StoreRecord[],
  encoding: 'lz64' | 'plain',
  accepts: (bytes: number) => boolean,
  taken: Taken = { keys: [], bytes: 0 },
): { keys: readonly string[]; sent: number[]; bytes: number[]; reports: SendReport[] } => {
  const sent: number[] = []
  const bytes: number[] = []
  const reports: SendReport[] = []
  const request = { url: 'u', apiKey: 'k', sentAt: 't', historicalMigration: false }
  sendBeacons(
    waiting,
    request,
    (_url, body, contentType) => {
      const size = Buffer.byteLength(body)
      if (!accepts(size)) return false
      bytes.push(size)
      const { batch } = JSON.parse(bodyJson(body, contentType)) as { batch: { n: number }[] }
      sent.push(...batch.map(({ n }) => n))
      return true
    },
    (json) => encodeSync(json, [encoding], false),
    (report) => reports.push(report),
    taken,
  )
  return { keys: taken.keys, sent, bytes, reports }
}

describe('the beacons of a page that goes away', () => {
  it('take everything in one when it fits, compressed', () => {
    const { keys, sent, reports } = send(records(500, 500, 500), 'lz64', () => true)
    expect([keys, sent]).toEqual([
      ['e/0', 'e/1', 'e/2'],
      [0, 1, 2],
    ])
    expect(reports).toMatchObject([{ events: 3, encoding: 'lz64', status: undefined }])
  })

  it('take at most 100 events each', () => {
    expect(
      send(records(...Array<number>(250).fill(1)), 'plain', () => true).reports.map(({ events }) => events),
    ).toEqual([100, 100, 50])
  })

  it('never take more than the budget together, and what they take is in order, whatever the browser refuses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 30_000 }), { maxLength: 40 }),
        fc.constantFrom('plain', 'lz64'),
        fc.nat({ max: 70_000 }),
        (sizes, encoding, limit) => {
          let left = limit
          const { keys, sent, bytes } = send(records(...sizes), encoding, (size) => size <= left && (left -= size) >= 0)
          expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(UNLOAD_MAX_BYTES)
          expect(sent).toEqual([...new Set(sent)].toSorted((a, b) => a - b))
          expect(keys).toEqual(sent.map((n) => `e/${n}`))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('pass over one that does not fit, at either place, and take the others', () => {
    expect(send(records(100_000, 10, 10), 'plain', () => true).sent).toEqual([1, 2])
    expect(send(records(...Array<number>(99).fill(10), 100_000, 10), 'plain', () => true).sent).toHaveLength(100)
  })

  it('give up after a bounded number of refusals', () => {
    let asked = 0
    send(records(...Array<number>(10_000).fill(10)), 'plain', () => {
      asked++
      return false
    })
    expect(asked).toBeLessThan(50)
  })

  it('share the budget of their unload with those that went before', () => {
    const taken = { keys: ['e/before'], bytes: UNLOAD_MAX_BYTES - 1_000 }
    expect(send(records(700, 700), 'plain', () => true, taken).sent).toEqual([0])
    expect(taken.keys).toEqual(['e/before', 'e/0'])
    expect(taken.bytes).toBeGreaterThan(UNLOAD_MAX_BYTES - 300)
  })

  it('count bytes, not characters', () => {
    const wide = [{ key: 'e/0', value: JSON.stringify({ n: 0, text: '漢'.repeat(25_000) }) }]
    expect(send(wide, 'plain', () => true).keys).toEqual([])
  })
})

describe('the spill', () => {
  const lease = { keys: ['e/0'], until: 30_000 }

  it('is read back, and grows when a second page leaves before it was read', () => {
    const storage = memoryKeyValue()
    const [one, two] = [records(1), records(1, 2).slice(1)]
    expect(writeSpill(storage, 's', one, lease)).toEqual([])
    expect(writeSpill(storage, 's', two, { keys: ['e/1'], until: 40_000 })).toEqual([])
    expect(readSpill(storage, 's')).toEqual({ records: [...one, ...two], keys: ['e/0', 'e/1'], until: 40_000 })
  })

  it('is empty when there is none, and when it is corrupt', () => {
    const storage = memoryKeyValue()
    const empty = { records: [], keys: [], until: 0 }
    expect(readSpill(storage, 's')).toEqual(empty)
    for (const text of ['{', 'null', '{"records":7}']) {
      storage.set('s', text)
      expect(readSpill(storage, 's')).toEqual(empty)
    }
  })

  it('takes no more than its bound and names what found no place', () => {
    const storage = memoryKeyValue()
    const many = records(...Array<number>(6).fill(SPILL_MAX / 5))
    const left = writeSpill(storage, 's', many, lease)
    expect(left).toEqual(many.slice(4))
    expect(readSpill(storage, 's').records).toEqual(many.slice(0, 4))
    expect(writeSpill(storage, 's', many.slice(4), lease)).toEqual(many.slice(4))
    expect(readSpill(storage, 's').records).toEqual(many.slice(0, 4))
  })

  it('passes over one that does not fit, for its own bound and for that of the platform', () => {
    const storage = memoryKeyValue()
    const [huge, small, other] = records(SPILL_MAX, 1, 1)
    expect(writeSpill(storage, 's', [huge!, small!, other!], lease)).toEqual([huge])
    expect(readSpill(storage, 's').records).toEqual([small, other])
    const values = memoryKeyValue()
    const tight = { ...values, set: (key: string, text: string) => text.length < 500 && values.set(key, text) }
    const [big, tiny] = records(5_000, 1)
    expect(writeSpill(tight, 's', [big!, tiny!], lease)).toEqual([big])
    expect(readSpill(tight, 's').records).toEqual([tiny])
  })

  it('gives up what the store holds, keeps what came meanwhile, and is gone when empty', () => {
    const storage = memoryKeyValue()
    const [one, two] = records(1, 2)
    writeSpill(storage, 's', [one!, two!], lease)
    shrinkSpill(storage, 's', [one!])
    expect(readSpill(storage, 's')).toEqual({ records: [two], ...lease })
    shrinkSpill(storage, 's', [two!])
    expect(storage.get('s')).toBeNull()
  })

  it('takes what the platform lets it, and never gives up what was there', () => {
    const values = memoryKeyValue()
    const tight = { ...values, set: (key: string, text: string) => text.length < 500 && values.set(key, text) }
    const many = records(100, 100, 100, 100, 100, 100)
    const left = writeSpill(tight, 's', many, lease)
    const kept = readSpill(tight, 's').records
    expect([...kept, ...left]).toEqual(many)
    expect(kept.length).toBeGreaterThan(0)
    const none = { ...values, set: () => false }
    expect(writeSpill(none, 's', many, lease)).toEqual(many)
    expect(readSpill(none, 's').records).toEqual(kept)
  })
})
