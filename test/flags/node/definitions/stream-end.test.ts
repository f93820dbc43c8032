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
  const baseMs = fc.integer({ min: 500, max: 1_500 })

  it('is the delay that the service has set right after a stream has ended', () => {
    fc.assert(
      fc.property(fc.integer({ min: 500, max: 60_000 }), random, (delayMs, chance) => {
        expect(reconnectDelayMs(LOST, 0, delayMs, chance)).toBe(delayMs)
      }),
    )
  })

  it('is between the delay of the service and a minute', () => {
    fc.assert(
      fc.property(fc.integer({ max: 1e12 }), fc.integer({ min: 0, max: 1e12 }), random, (downMs, delayMs, chance) => {
        const ms = reconnectDelayMs(LOST, downMs, delayMs, chance)
        expect(ms).toBeGreaterThanOrEqual(Math.min(Math.max(delayMs, 500), 60_000))
        expect(ms).toBeLessThanOrEqual(60_000)
      }),
    )
  })

  /** The times of all attempts, in milliseconds since the stream ended, until one of them is after `untilMs`. */
  const attemptTimes = (untilMs: number, delayMs: number, nextChance: () => number): readonly number[] => {
    const times = [0]
    while (times.at(-1)! < untilMs)
      times.push(times.at(-1)! + reconnectDelayMs(LOST, times.at(-1)!, delayMs, nextChance()))
    return times.slice(1)
  }

  it('lets the first attempt follow a restart of up to 12 s within 3 s', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12_000 }),
        baseMs,
        fc.infiniteStream(random),
        (restartMs, delayMs, chances) => {
          const [...times] = attemptTimes(restartMs, delayMs, () => chances.next().value!)
          expect(times.at(-1)! - restartMs).toBeLessThanOrEqual(3_000)
        },
      ),
    )
  })

  it('makes fewer than 200 attempts in the first hour of an outage', () => {
    for (const delayMs of [500, 1_500]) expect(attemptTimes(3_600_000, delayMs, () => 0).length).toBeLessThan(200)
  })

  it('makes about 30 attempts in the first four minutes', () => {
    for (const delayMs of [500, 1_500]) {
      const attempts = attemptTimes(240_000, delayMs, () => 0.5).length
      expect(attempts).toBeGreaterThanOrEqual(25)
      expect(attempts).toBeLessThanOrEqual(35)
    }
  })

  it('is partly random, so that agents do not reconnect together', () => {
    const delays = [0, 0.25, 0.5, 0.75].map((chance) => reconnectDelayMs(LOST, 80_000, 1_000, chance))
    expect(delays).toEqual([10_000, 12_500, 15_000, 17_500])
  })
})
