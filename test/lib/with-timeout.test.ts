import { expect, it } from 'vitest'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { manualClock } from '../support/manual-clock.ts'

it('settles like the work', async () => {
  const clock = manualClock()
  await expect(withTimeout(clock, 10, Promise.resolve('done'))).resolves.toBe('done')
  await expect(withTimeout(clock, 10, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

it('resolves with undefined when the work takes longer', async () => {
  const clock = manualClock()
  const result = withTimeout(clock, 10, new Promise<string>(() => {}))
  await clock.advance(10)
  await expect(result).resolves.toBeUndefined()
})
