import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLatestWriter } from '../../../../src/service/flags/feed/latest-writer.ts'
import { CHUNK_BYTES } from '../../../../src/service/http/send-in-chunks.ts'

/** Has memory for every state. */
const holdAll = () => () => {}

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
  const writer = createLatestWriter(out, holdAll)
  for (const state of ['1', '2', '3']) writer.write(Buffer.from(state))
  writer.writeIfReady(':')
  await takeNext()
  await takeNext()
  writer.writeIfReady(':')
  await takeNext()
  writer.write(Buffer.from('4'))
  await takeNext()
  expect(received).toEqual(['1', '3', ':', '4'])
})

test('ends a stream that was read completely, and destroys a stream that was not', async () => {
  const [ready, behind] = [slowReader(), slowReader()]
  const writers = [createLatestWriter(ready.out, holdAll), createLatestWriter(behind.out, holdAll)]
  for (const writer of writers) writer.write(Buffer.from('1'))
  await ready.takeNext()
  for (const writer of writers) writer.end()
  expect(ready.out.writableEnded).toBe(true)
  expect([behind.out.writableEnded, behind.out.destroyed]).toEqual([false, true])
})

test('gives a reader one chunk of a shared state at a time, and holds the state until it was read', async () => {
  const { out, takeNext } = slowReader()
  let held = 0
  const writer = createLatestWriter(out, () => {
    held += 1
    return () => (held -= 1)
  })
  writer.write(Buffer.alloc(3 * CHUNK_BYTES))
  const unsent: number[] = []
  for (let n = 0; n < 3; n++) {
    unsent.push(out.writableLength)
    expect(held).toBe(1)
    await takeNext()
  }
  expect([unsent, held]).toEqual([[CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES], 0])
})

test('disconnects a reader when there is no memory for a state', () => {
  const { out } = slowReader()
  createLatestWriter(out, () => null).write(Buffer.from('1'))
  expect([out.destroyed, out.writableLength]).toEqual([true, 0])
})

test('lets go of the state of a reader that disconnects', async () => {
  const { out } = slowReader()
  let held = 1
  createLatestWriter(out, () => () => (held -= 1)).write(Buffer.alloc(2 * CHUNK_BYTES))
  out.destroy()
  await new Promise((resolve) => out.once('close', resolve))
  expect(held).toBe(0)
})
