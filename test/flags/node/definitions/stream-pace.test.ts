import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeHead, reopenMs } from '../../../../src/flags/node/definitions/stream-pace.ts'
import type { StreamEnd } from '../../../../src/flags/node/definitions/stream-pace.ts'

const LOST: StreamEnd = { kind: 'lost', why: '' }
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the head of an answer', () => {
  it.each([
    [200, 'text/event-stream', undefined],
    [200, 'Text/Event-Stream; charset=utf-8', undefined],
    [200, 'text/event-streams', 'absent'],
    [200, '', 'absent'],
    [204, 'text/event-stream', 'absent'],
    [301, '', 'absent'],
    [401, '', 'refused'],
    [402, '', 'refused'],
    [403, '', 'refused'],
    [404, '', 'absent'],
    [405, '', 'absent'],
    [408, '', 'busy'],
    [429, '', 'busy'],
    [500, '', 'busy'],
    [501, '', 'absent'],
    [503, '', 'busy'],
  ])('%i %s', (status, contentType, kind) => {
    expect(judgeHead({ status, contentType, retryAfter: null }, 0)?.kind).toBe(kind)
  })
})

describe('the wait before a stream is tried again', () => {
  it('first what the service has named, whatever the chance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 60_000 }), random, (named, chance) => {
        expect(reopenMs(LOST, 0, named, chance)).toBe(named)
        expect(reopenMs(LOST, 1, named, chance)).toBe(named)
      }),
    )
  })

  it('is never below what the service has named, grows, and ends at a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 1e12 }),
        random,
        (failures, named, chance) => {
          const ms = reopenMs(LOST, failures, named, chance)
          expect(ms).toBeGreaterThanOrEqual(Math.min(Math.max(named, 1_000), 60_000))
          expect(ms).toBeLessThanOrEqual(60_000)
          expect(reopenMs(LOST, failures + 1, named, chance)).toBeGreaterThanOrEqual(ms)
        },
      ),
    )
  })

  it('spreads readers whose tries fail', () => {
    const waits = [0, 0.25, 0.5, 0.75].map((chance) => reopenMs(LOST, 4, 2_000, chance))
    expect(waits).toEqual([8_000, 10_000, 12_000, 14_000])
  })
})
