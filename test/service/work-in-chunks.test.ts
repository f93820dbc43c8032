import { describe, expect, it } from 'vitest'
import { workInChunks } from '../../src/service/work-in-chunks.ts'
import type { Work } from '../../src/service/work-in-chunks.ts'

/** Takes so many milliseconds, and yields after each of them. */
const spend = function* (milliseconds: number): Work<string> {
  for (let count = 0; count < milliseconds; count++) {
    const end = performance.now() + 1
    while (performance.now() < end);
    yield
  }
  return 'done'
}

describe('work in chunks', () => {
  it('lets others work meanwhile', async () => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    expect(await workInChunks(spend(100))).toBe('done')
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })

  it('ends when its check throws', async () => {
    let checks = 0
    const check = (): void => {
      checks += 1
      if (checks === 2) throw new Error('over')
    }
    await expect(workInChunks(spend(10_000), check)).rejects.toThrow('over')
  })
})
