import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyStreamHead, reconnectDelayMs } from '../../../../src/flags/node/definitions/stream-end.ts'
import type { StreamEnd } from '../../../../src/flags/node/definitions/stream-end.ts'

const LOST: StreamEnd = { kind: 'lost', reason: '' }
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('classifyStreamHead', () => {
  it.each([
    [200, 'text/event-stream', undefined],
    [200, 'Text/Event-Stream; charset=utf-8', undefined],
    [200, 'text/event-streams', 'unsupported'],
    [200, '', 'unsupported'],
    [204, 'text/event-stream', 'unsupported'],
    [301, '', 'unsupported'],
    [401, '', 'refused'],
    [402, '', 'refused'],
    [403, '', 'refused'],
    [404, '', 'unsupported'],
    [405, '', 'unsupported'],
    [408, '', 'busy'],
    [429, '', 'busy'],
    [500, '', 'busy'],
    [501, '', 'unsupported'],
    [503, '', 'busy'],
  ])('classifies %i %s as %s', (status, contentType, kind) => {
    expect(classifyStreamHead({ status, contentType, retryAfter: null }, 0)?.kind).toBe(kind)
  })
})

describe('reconnectDelayMs', () => {
  it('is first the delay that the service has set, without a random part', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 60_000 }), random, (baseMs, chance) => {
        expect(reconnectDelayMs(LOST, 0, baseMs, chance)).toBe(baseMs)
        expect(reconnectDelayMs(LOST, 1, baseMs, chance)).toBe(baseMs)
      }),
    )
  })

  it('is never below the delay of the service, grows, and is at most a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 1e12 }),
        random,
        (failures, baseMs, chance) => {
          const ms = reconnectDelayMs(LOST, failures, baseMs, chance)
          expect(ms).toBeGreaterThanOrEqual(Math.min(Math.max(baseMs, 1_000), 60_000))
          expect(ms).toBeLessThanOrEqual(60_000)
          expect(reconnectDelayMs(LOST, failures + 1, baseMs, chance)).toBeGreaterThanOrEqual(ms)
        },
      ),
    )
  })

  it('is partly random after failed attempts', () => {
    const waits = [0, 0.25, 0.5, 0.75].map((chance) => reconnectDelayMs(LOST, 4, 2_000, chance))
    expect(waits).toEqual([8_000, 10_000, 12_000, 14_000])
  })
})
