import { expect, it } from 'vitest'
import { seldom } from '../../../../src/platform/node/event-files/seldom.ts'
import { manualClock } from '../../../support/manual-clock.ts'

it('tells the same once in ten minutes, another at once, and is not silenced by a clock that goes back', async () => {
  const told: string[] = []
  const clock = manualClock()
  const tell = seldom((message) => told.push(message), clock)
  tell('a')
  tell('b')
  await clock.advance(599_999)
  tell('a')
  expect(told).toEqual(['a', 'b'])
  await clock.advance(1)
  tell('a')
  clock.set(0)
  tell('a')
  expect(told).toEqual(['a', 'b', 'a', 'a'])
})
