import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStream } from '../../../../src/flags/node/definitions/read-stream.ts'
import type { StreamEnd } from '../../../../src/flags/node/definitions/stream-pace.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { fakeStreams } from './fake-stream.ts'

const read = () => {
  const { openStream, opened } = fakeStreams()
  const heard = {
    lives: 0,
    definitions: [] as [string, string | undefined][],
    named: [] as number[],
    ends: [] as StreamEnd[],
  }
  const clock = manualClock()
  const stop = readStream(
    openStream,
    clock,
    'https://flags.test/',
    {},
    {
      live: () => heard.lives++,
      definitions: (text, etag) => heard.definitions.push([text, etag]),
      named: (ms) => heard.named.push(ms),
      end: (end) => heard.ends.push(end),
    },
  )
  opened[0]!.head({ status: 200, contentType: 'text/event-stream', retryAfter: null })
  return { stream: opened[0]!, heard, clock, stop }
}

describe('a stream', () => {
  it('says the same in whatever pieces it comes, with any kind of line end', () => {
    const message = fc.record({
      id: fc.option(fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((id) => id.trim() === id)),
      data: fc.jsonValue().map((value) => JSON.stringify(value)),
    })
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.array(fc.nat({ max: 20 }), { minLength: 1 }),
        fc.constantFrom('\n', '\r\n'),
        (messages, lengths, newline) => {
          const { stream, heard } = read()
          const text = messages
            .map(({ id, data }) => [
              ...(id === null ? [] : [`id: ${id}`]),
              'event: definitions',
              `data: ${data}`,
              '',
              ':',
              '',
              '',
            ])
            .map((lines) => lines.join(newline))
            .join('')
          const all = `retry: 1234${newline}${newline}${text}`
          for (let at = 0, piece = 0; at < all.length; piece++) {
            const length = lengths[piece % lengths.length]! + 1
            stream.text(all.slice(at, at + length))
            at += length
          }
          expect(heard.definitions).toEqual(messages.map(({ id, data }) => [data, id ?? undefined]))
          expect([heard.named, heard.lives, heard.ends]).toEqual([[1234], 1, []])
        },
      ),
    )
  })

  it('ends when one message would fill the memory', () => {
    const { stream, heard } = read()
    stream.text('data: ')
    const part = 'x'.repeat(8 * 1_024 * 1_024)
    for (let parts = 0; parts < 9; parts++) stream.text(part)
    expect(heard.ends).toEqual([{ kind: 'lost', why: 'a message is longer than can be' }])
    expect(stream.isClosed).toBe(true)
  })

  it('is not heard any more once it was ended, nor does it leave a timer', async () => {
    const { stream, heard, clock, stop } = read()
    stop()
    stream.text('event: definitions\ndata: {}\n\n')
    stream.end()
    await clock.advance(100_000)
    expect(heard).toEqual({ lives: 0, definitions: [], named: [], ends: [] })
    expect([stream.isClosed, clock.pending()]).toEqual([true, 0])
  })

  it('that ends while it is opened is let go of', () => {
    let closes = 0
    const ends: StreamEnd[] = []
    const clock = manualClock()
    readStream(
      (_url, _headers, listener) => {
        listener.end()
        return () => closes++
      },
      clock,
      'https://flags.test/',
      {},
      { live() {}, definitions() {}, named() {}, end: (end) => ends.push(end) },
    )
    expect(ends).toEqual([{ kind: 'unreachable', why: 'no answer' }])
    expect([closes, clock.pending()]).toEqual([1, 0])
  })
})
