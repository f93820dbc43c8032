import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeSync, SYNC_MAX } from '../../src/capture/encode.ts'
import { readSpill, sendBeacon, shrinkSpill, SPILL_MAX, writeSpill } from '../../src/capture/unload.ts'
import type { Taken } from '../../src/capture/unload.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { UNLOAD_MAX_BYTES } from '../../src/wire/limits.ts'
import { bodyJson } from '../support/fake-service.ts'

const records = (...sizes: number[]): StoreRecord[] =>
  sizes.map((size, n) => ({ key: `e/${n}`, value: JSON.stringify({ n, text: 'x'.repeat(size) }) }))

const send = (
  waiting: readonly StoreRecord[],
  supported: readonly string[],
  accepts: (bytes: number) => boolean,
  taken: Taken = { keys: [], bytes: 0 },
): Taken & { sent: number[]; asked: number[] } => {
  const sent: number[] = []
  const asked: number[] = []
  const now = sendBeacon(
    waiting,
    taken,
    (batch) => {
      const json = `[${batch.map(({ value }) => value).join()}]`
      expect(json.length).toBeLessThanOrEqual(Math.max(SYNC_MAX, batch[0]!.value.length + 2))
      asked.push(json.length)
      return encodeSync(json, supported, false)
    },
    ({ body, contentType }, batch) => {
      if (!accepts(Buffer.byteLength(body))) return false
      const events = JSON.parse(bodyJson(body, contentType)) as { n: number }[]
      expect(events).toHaveLength(batch.length)
      sent.push(...events.map(({ n }) => n))
      return true
    },
  )
  return { ...now, sent, asked }
}

describe('the beacon of a page that goes away', () => {
  it('takes everything when it fits, compressed', () => {
    const { keys, sent, bytes } = send(records(500, 500, 500), ['lz64'], () => true)
    expect([keys, sent]).toEqual([
      ['e/0', 'e/1', 'e/2'],
      [0, 1, 2],
    ])
    expect(bytes).toBeLessThan(1_000)
  })

  it('never takes more than the budget, and takes the first ones, whatever the browser refuses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 30_000 }), { maxLength: 40 }),
        fc.constantFrom(['lz64'], []),
        fc.nat({ max: 70_000 }),
        (sizes, supported, limit) => {
          const { keys, sent, bytes } = send(records(...sizes), supported, (size) => size <= limit)
          expect(bytes).toBeLessThanOrEqual(Math.min(limit, UNLOAD_MAX_BYTES))
          expect(sent).toEqual(sizes.map((_, n) => n).slice(0, sent.length))
          expect(keys).toEqual(sent.map((n) => `e/${n}`))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('gives up after a bounded number of refusals, and compresses no more than twice what it may', () => {
    const { asked, keys } = send(records(...Array<number>(10_000).fill(10)), ['lz64'], () => false)
    expect(keys).toEqual([])
    expect(asked.length).toBeLessThan(20)
    expect(asked.reduce((sum, length) => sum + length)).toBeLessThan(2 * SYNC_MAX)
  })

  it('shares the budget of its unload with what went before', () => {
    const taken = { keys: ['e/before'], bytes: UNLOAD_MAX_BYTES - 1_000 }
    const now = send(records(700, 700), [], () => true, taken)
    expect(now.sent).toEqual([0])
    expect(now.keys).toEqual(['e/before', 'e/0'])
    expect(now.bytes).toBeGreaterThan(UNLOAD_MAX_BYTES - 300)
  })

  it('counts bytes, not characters', () => {
    const wide = [{ key: 'e/0', value: JSON.stringify({ n: 0, text: '漢'.repeat(25_000) }) }]
    expect(send(wide, [], () => true).keys).toEqual([])
  })
})

describe('the spill', () => {
  it('is read back, and grows when a second page leaves before it was read', () => {
    const storage = memoryKeyValue()
    const [one, two] = [records(1), records(1, 2).slice(1)]
    expect(writeSpill(storage, 's', one)).toEqual([])
    expect(writeSpill(storage, 's', two)).toEqual([])
    expect(readSpill(storage, 's')).toEqual([...one, ...two])
  })

  it('is empty when there is none, and when it is corrupt', () => {
    const storage = memoryKeyValue()
    expect(readSpill(storage, 's')).toEqual([])
    for (const text of ['{', 'null', '{"records":7}']) {
      storage.set('s', text)
      expect(readSpill(storage, 's')).toEqual([])
    }
  })

  it('takes no more than its bound and names what found no place', () => {
    const storage = memoryKeyValue()
    const many = records(...Array<number>(6).fill(SPILL_MAX / 5))
    expect(writeSpill(storage, 's', many)).toEqual(many.slice(4))
    expect(readSpill(storage, 's')).toEqual(many.slice(0, 4))
    expect(writeSpill(storage, 's', many.slice(4))).toEqual(many.slice(4))
    expect(readSpill(storage, 's')).toEqual(many.slice(0, 4))
  })

  it('passes over one that is larger than its bound', () => {
    const storage = memoryKeyValue()
    const [huge, small, other] = records(SPILL_MAX, 1, 1)
    expect(writeSpill(storage, 's', [huge!, small!, other!])).toEqual([huge])
    expect(readSpill(storage, 's')).toEqual([small, other])
  })

  it('gives up what the store holds, keeps what came meanwhile, and is gone when empty', () => {
    const storage = memoryKeyValue()
    const [one, two] = records(1, 2)
    writeSpill(storage, 's', [one!, two!])
    shrinkSpill(storage, 's', [one!])
    expect(readSpill(storage, 's')).toEqual([two])
    shrinkSpill(storage, 's', [two!])
    expect(storage.get('s')).toBeNull()
  })

  it('takes what the platform lets it, and never gives up what was there', () => {
    const values = memoryKeyValue()
    const tight = { ...values, set: (key: string, text: string) => text.length < 500 && values.set(key, text) }
    const many = records(100, 100, 100, 100, 100, 100)
    const left = writeSpill(tight, 's', many)
    const kept = readSpill(tight, 's')
    expect([...kept, ...left]).toEqual(many)
    expect(kept.length).toBeGreaterThan(0)
    const none = { ...values, set: () => false }
    expect(writeSpill(none, 's', many)).toEqual(many)
    expect(readSpill(none, 's')).toEqual(kept)
  })
})
