import { expect, test, vi } from 'vitest'
import { readResponseStart } from '../../src/import/read-response-start.ts'

test('reads all of a short response, even if a chunk ends inside a character', async () => {
  const [firstChunk, secondChunk] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)]
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(firstChunk)
      controller.enqueue(secondChunk)
      controller.close()
    },
  })
  expect(await readResponseStart(new Response(body), 100)).toBe('né')
  expect(await readResponseStart(new Response(null), 100)).toBe('')
})

test('stops reading an endless response at the limit and cancels its stream', async () => {
  const cancel = vi.fn<() => void>()
  let chunkCount = 0
  const pull = (controller: ReadableStreamDefaultController): void => {
    chunkCount++
    controller.enqueue(Buffer.alloc(10, 'x'))
  }
  const endlessStream = new ReadableStream({ pull, cancel })
  expect(await readResponseStart(new Response(endlessStream), 25)).toBe('x'.repeat(25))
  expect(chunkCount).toBeLessThan(10)
  expect(cancel).toHaveBeenCalledOnce()
})
