import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLatestWriter } from '../../../../src/service/flags/feed/latest-writer.ts'

/** A reader that takes one chunk whenever the test calls `takeNext`. */
const slowReader = () => {
  const received: string[] = []
  let take = (): void => {}
  const out = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      take = () => {
        received.push(chunk.toString())
        done()
      }
    },
  })
  const takeNext = async (): Promise<void> => {
    take()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { out, received, takeNext }
}

test('keeps only the latest state for a slow reader and drops comments', async () => {
  const { out, received, takeNext } = slowReader()
  const writer = createLatestWriter(out)
  for (const state of ['1', '2', '3']) writer.write(state)
  writer.writeIfReady(':')
  await takeNext()
  await takeNext()
  writer.writeIfReady(':')
  await takeNext()
  writer.write('4')
  await takeNext()
  expect(received).toEqual(['1', '3', ':', '4'])
})

test('ends a stream that was read completely, and destroys a stream that was not', async () => {
  const [ready, behind] = [slowReader(), slowReader()]
  const writers = [createLatestWriter(ready.out), createLatestWriter(behind.out)]
  for (const writer of writers) writer.write('1')
  await ready.takeNext()
  for (const writer of writers) writer.end()
  expect(ready.out.writableEnded).toBe(true)
  expect([behind.out.writableEnded, behind.out.destroyed]).toEqual([false, true])
})
