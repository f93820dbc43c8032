import { expect, it } from 'vitest'
import { createCloseSteps } from '../../src/service/close-steps.ts'

it('does each step once, the last one first, and each after the one before has ended', async () => {
  const steps = createCloseSteps()
  const done: string[] = []
  steps.add(() => done.push('first'))
  steps.add(async () => {
    await Promise.resolve()
    done.push('second')
  })
  steps.add(() => done.push('third'))
  await steps.close()
  await steps.close()
  expect(done).toEqual(['third', 'second', 'first'])
})

it('goes on after a step that failed when it is asked again', async () => {
  const steps = createCloseSteps()
  const done: string[] = []
  steps.add(() => done.push('first'))
  steps.add(() => Promise.reject(new Error('No space left.')))
  await expect(steps.close()).rejects.toThrow('No space left.')
  await steps.close()
  expect(done).toEqual(['first'])
})
