import { expect, it } from 'vitest'
import { createQueue } from '../../src/service/create-queue.ts'

it('runs work in the order of the calls, also after a failure', async () => {
  const queue = createQueue()
  const steps: string[] = []
  const work = (name: string) => async () => {
    steps.push(`${name} begins`)
    await Promise.resolve()
    steps.push(`${name} ends`)
    if (name === 'a') throw new Error('disk full')
    return name
  }
  const results = await Promise.allSettled([queue(work('a')), queue(work('b'))])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(results).toMatchObject([{ reason: new Error('disk full') }, { value: 'b' }])
})
