import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_SYNC_LENGTH } from '../../src/capture/encode.ts'
import type { SendReport } from '../../src/capture/post-events.ts'
import { sendBeacon } from '../../src/capture/send-beacon.ts'
import type { UnloadTransfer } from '../../src/capture/send-beacon.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { StoreRecord } from '../../src/port/event-store.ts'
import { createHostMark } from '../../src/lib/host-mark.ts'
import { MAX_UNLOAD_BYTES } from '../../src/wire/limits.ts'
import { decodeBody } from '../support/fake-service.ts'
import { manualClock } from '../support/manual-clock.ts'

const records = (...sizes: number[]): StoreRecord[] =>
  sizes.map((size, n) => [`e/${n}`, JSON.stringify({ n, text: 'x'.repeat(size) })])

const sendRecords = (
  storeRecords: readonly StoreRecord[],
  supported: readonly string[],
  browserAccepts: (bytes: number) => boolean,
  earlierTransfer: UnloadTransfer = { keys: [], bytes: 0 },
  isPlainHost = false,
): UnloadTransfer & { sent: number[]; encodedLengths: number[] } => {
  const sent: number[] = []
  const encodedLengths: number[] = []
  const reports: SendReport[] = []
  const plainHost = createHostMark(createMemoryKeyValue(), 'plain', 'u')
  plainHost.set(isPlainHost)
  const transfer = sendBeacon(
    { url: 'u', apiKey: 'key', historicalMigration: false },
    {
      clock: manualClock(),
      plainHost,
      supportedCompression: () => supported,
      lz64: lz64Form,
      beacon(_url, body, contentType) {
        const json = decodeBody(body, contentType)
        const { batch } = JSON.parse(json) as { batch: { n: number }[] }
        expect(json.length).toBeLessThanOrEqual(Math.max(MAX_SYNC_LENGTH, storeRecords[0]![1].length + 100))
        encodedLengths.push(json.length)
        if (!browserAccepts(Buffer.byteLength(body))) return false
        sent.push(...batch.map(({ n }) => n))
        return true
      },
      onSend: (report) => reports.push(report),
    },
    storeRecords,
    earlierTransfer,
  )
  expect(reports.map(({ events, status }) => [events, status])).toEqual(sent.length ? [[sent.length, undefined]] : [])
  return { ...transfer, sent, encodedLengths }
}

describe('the beacon of a page that is left', () => {
  it('sends all events in one compressed body when they fit', () => {
    const { keys, sent, bytes } = sendRecords(records(500, 500, 500), ['lz64'], () => true)
    expect([keys, sent]).toEqual([
      ['e/0', 'e/1', 'e/2'],
      [0, 1, 2],
    ])
    expect(bytes).toBeLessThan(1_000)
  })

  it('is not compressed for a host that has refused compressed bodies', () => {
    const { sent, bytes, encodedLengths } = sendRecords(records(500, 500), ['lz64'], () => true, undefined, true)
    expect([sent, bytes]).toEqual([[0, 1], encodedLengths[0]])
  })

  it('sends the first events, within the limits of the page and the browser', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 30_000 }), { maxLength: 40 }),
        fc.constantFrom(['lz64'], []),
        fc.nat({ max: 70_000 }),
        (sizes, supported, limit) => {
          const { keys, sent, bytes } = sendRecords(records(...sizes), supported, (size) => size <= limit)
          expect(bytes).toBeLessThanOrEqual(Math.min(limit, MAX_UNLOAD_BYTES))
          expect(sent).toEqual(sizes.map((_, n) => n).slice(0, sent.length))
          expect(keys).toEqual(sent.map((n) => `e/${n}`))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('stops after a few refusals and compresses at most twice the maximum length', () => {
    const { encodedLengths, keys } = sendRecords(records(...Array<number>(10_000).fill(10)), ['lz64'], () => false)
    expect(keys).toEqual([])
    expect(encodedLengths.length).toBeLessThan(20)
    expect(encodedLengths.reduce((sum, length) => sum + length)).toBeLessThan(2 * MAX_SYNC_LENGTH)
  })

  it('shares the byte limit with earlier transfers of the page', () => {
    const earlierTransfer = { keys: ['e/before'], bytes: MAX_UNLOAD_BYTES - 1_000 }
    const transfer = sendRecords(records(700, 700), [], () => true, earlierTransfer)
    expect(transfer.sent).toEqual([0])
    expect(transfer.keys).toEqual(['e/before', 'e/0'])
    expect(transfer.bytes).toBeGreaterThan(MAX_UNLOAD_BYTES - 300)
  })

  it('counts bytes, not characters', () => {
    const wideRecords = [['e/0', JSON.stringify({ n: 0, text: '漢'.repeat(25_000) })] as const]
    expect(sendRecords(wideRecords, [], () => true).keys).toEqual([])
  })
})
