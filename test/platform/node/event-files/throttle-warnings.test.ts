import { expect, it } from 'vitest'
import { throttleWarnings } from '../../../../src/platform/node/event-files/throttle-warnings.ts'
import { manualClock } from '../../../support/manual-clock.ts'

it('repeats a warning after ten minutes, or after the clock went back', async () => {
  const warnings: string[] = []
  const clock = manualClock()
  const warn = throttleWarnings((message) => warnings.push(message), clock)
  warn('a')
  warn('b')
  await clock.advance(599_999)
  warn('a')
  expect(warnings).toEqual(['a', 'b'])
  await clock.advance(1)
  warn('a')
  clock.set(0)
  warn('a')
  expect(warnings).toEqual(['a', 'b', 'a', 'a'])
})
