import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStream } from '../../../../src/flags/node/definitions/read-stream.ts'
import type { StreamEnd } from '../../../../src/flags/node/definitions/stream-end.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { fakeStreams } from './fake-stream.ts'

const openTestStream = () => {
  const { openStream, opened } = fakeStreams()
  const received = {
    lives: 0,
    definitions: [] as [string, string | undefined][],
    delays: [] as number[],
    ends: [] as StreamEnd[],
  }
  const clock = manualClock()
  const stop = readStream(
    openStream,
    clock,
    'https://flags.test/',
    {},
    {
      onLive: () => received.lives++,
      onDefinitions: (json, etag) => received.definitions.push([json, etag]),
      onReconnectDelay: (ms) => received.delays.push(ms),
      onEnd: (end) => received.ends.push(end),
    },
  )
  opened[0]!.onHead({ status: 200, contentType: 'text/event-stream', retryAfter: null })
  return { stream: opened[0]!, received, clock, stop }
}

describe('a stream', () => {
  it('gives the same definitions in chunks of any size, with any line endings', () => {
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
          const { stream, received } = openTestStream()
          const messagesText = messages
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
          const streamText = `retry: 1234${newline}${newline}${messagesText}`
          for (let start = 0, chunk = 0; start < streamText.length; chunk++) {
            const length = lengths[chunk % lengths.length]! + 1
            stream.onChunk(streamText.slice(start, start + length))
            start += length
          }
          expect(received.definitions).toEqual(messages.map(({ id, data }) => [data, id ?? undefined]))
          expect([received.delays, received.lives, received.ends]).toEqual([[1234], 1, []])
        },
      ),
    )
  })

  it('ends at a message that is too long', () => {
    const { stream, received } = openTestStream()
    stream.onChunk('data: ')
    const chunk = 'x'.repeat(8 * 1_024 * 1_024)
    for (let chunks = 0; chunks < 9; chunks++) stream.onChunk(chunk)
    expect(received.ends).toEqual([{ kind: 'lost', reason: 'a message is longer than 67108864 characters' }])
    expect(stream.isClosed).toBe(true)
  })

  it('calls no handler and has no timer after it was closed', async () => {
    const { stream, received, clock, stop } = openTestStream()
    stop()
    stream.onChunk('event: definitions\ndata: {}\n\n')
    stream.onEnd()
    await clock.advance(100_000)
    expect(received).toEqual({ lives: 0, definitions: [], delays: [], ends: [] })
    expect([stream.isClosed, clock.pending()]).toEqual([true, 0])
  })

  it('is closed if it ends inside openStream()', () => {
    let closes = 0
    const ends: StreamEnd[] = []
    const clock = manualClock()
    readStream(
      (_url, _headers, listener) => {
        listener.onEnd()
        return () => closes++
      },
      clock,
      'https://flags.test/',
      {},
      { onLive() {}, onDefinitions() {}, onReconnectDelay() {}, onEnd: (end) => ends.push(end) },
    )
    expect(ends).toEqual([{ kind: 'unreachable', reason: 'no response' }])
    expect([closes, clock.pending()]).toEqual([1, 0])
  })
})
