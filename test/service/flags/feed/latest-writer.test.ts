import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { newestWriter } from '../../../../src/service/flags/feed/latest-writer.ts'

/** A reader that takes one text at a time, when the test says so. */
const slowReader = () => {
  const taken: string[] = []
  let take = (): void => {}
  const out = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      take = () => {
        taken.push(chunk.toString())
        done()
      }
    },
  })
  const turn = async (): Promise<void> => {
    take()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { out, taken, turn }
}

test('keeps for a slow reader the newest state alone, and no mention', async () => {
  const { out, taken, turn } = slowReader()
  const writer = newestWriter(out)
  for (const state of ['1', '2', '3']) writer.write(state)
  writer.mention(':')
  await turn()
  await turn()
  writer.mention(':')
  await turn()
  writer.write('4')
  await turn()
  expect(taken).toEqual(['1', '3', ':', '4'])
})

test('ends a reader that has taken everything, and cuts off one that has not', async () => {
  const [kept, behind] = [slowReader(), slowReader()]
  const writers = [newestWriter(kept.out), newestWriter(behind.out)]
  for (const writer of writers) writer.write('1')
  await kept.turn()
  for (const writer of writers) writer.end()
  expect(kept.out.writableEnded).toBe(true)
  expect([behind.out.writableEnded, behind.out.destroyed]).toEqual([false, true])
})
