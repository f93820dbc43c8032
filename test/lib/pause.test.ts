import { expect, it } from 'vitest'
import { pause } from '../../src/lib/pause.ts'
import { manualClock } from '../support/manual-clock.ts'

it('ends after its time, or when it is aborted', async () => {
  const clock = manualClock()
  const aborts = new Set<() => void>()
  const ends: string[] = []
  const first = pause(clock, 10, aborts).then(() => ends.push('first'))
  const second = pause(clock, 20, aborts).then(() => ends.push('second'))
  await clock.advance(10)
  await first
  expect(ends).toEqual(['first'])
  expect(aborts.size).toBe(1)
  for (const abort of aborts) abort()
  await second
  expect(aborts.size).toBe(0)
})
