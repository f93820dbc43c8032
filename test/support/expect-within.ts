import { expect } from 'vitest'

/** Less than the time of a test, which then fails with the delays that it measured. */
const MAX_TOTAL_MS = 25_000

/** Measures until one attempt took less than this time: other processes may slow down this machine. */
export const expectWithin = async (ms: number, measure: (attempt: number) => Promise<number>): Promise<void> => {
  const endsAt = performance.now() + MAX_TOTAL_MS
  const delays: number[] = []
  do delays.push(await measure(delays.length))
  while (performance.now() < endsAt && !delays.some((delay) => delay < ms))
  expect(Math.min(...delays), `the least of ${delays.join(', ')} ms`).toBeLessThan(ms)
}
