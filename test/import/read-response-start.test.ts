import { expect, test, vi } from 'vitest'
import { readResponseStart } from '../../src/import/read-response-start.ts'

test('reads a short response whole, even with a character split over two chunks', async () => {
  const [first, second] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)]
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(first)
      controller.enqueue(second)
      controller.close()
    },
  })
  expect(await readResponseStart(new Response(body), 100)).toBe('né')
  expect(await readResponseStart(new Response(null), 100)).toBe('')
})

test('stops reading an endless response at the limit and cancels its stream', async () => {
  const cancel = vi.fn<() => void>()
  let chunks = 0
  const pull = (controller: ReadableStreamDefaultController): void => {
    chunks++
    controller.enqueue(Buffer.alloc(10, 'x'))
  }
  const endless = new ReadableStream({ pull, cancel })
  expect(await readResponseStart(new Response(endless), 25)).toBe('x'.repeat(25))
  expect(chunks).toBeLessThan(10)
  expect(cancel).toHaveBeenCalledOnce()
})
