import { expect } from 'vitest'

/** Measures until one attempt took less than this time: other processes may slow down this machine. */
export const expectWithin = async (ms: number, measure: (attempt: number) => Promise<number>): Promise<void> => {
  const delays: number[] = []
  while (delays.length < 20 && !delays.some((delay) => delay < ms)) delays.push(await measure(delays.length))
  expect(Math.min(...delays)).toBeLessThan(ms)
}
