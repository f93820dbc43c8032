import { expect, test, vi } from 'vitest'
import { startOfAnswer } from '../../src/import/start-of-answer.ts'

test('a short answer is read whole, also where a character lies in two chunks', async () => {
  const [one, two] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)]
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(one)
      controller.enqueue(two)
      controller.close()
    },
  })
  expect(await startOfAnswer(new Response(body), 100)).toBe('né')
  expect(await startOfAnswer(new Response(null), 100)).toBe('')
})

test('of an answer that never ends no more than the bound is read, and its stream is cancelled', async () => {
  const cancel = vi.fn<() => void>()
  let chunks = 0
  const pull = (controller: ReadableStreamDefaultController): void => {
    chunks++
    controller.enqueue(Buffer.alloc(10, 'x'))
  }
  const endless = new ReadableStream({ pull, cancel })
  expect(await startOfAnswer(new Response(endless), 25)).toBe('x'.repeat(25))
  expect(chunks).toBeLessThan(10)
  expect(cancel).toHaveBeenCalledOnce()
})
