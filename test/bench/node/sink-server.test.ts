import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EVENT } from './event.mjs'
import { createSinkServer } from './sink-server.mjs'

let sink: ReturnType<typeof createSinkServer>
let port: number
beforeEach(async () => {
  sink = createSinkServer()
  port = await sink.listen()
})
afterEach(() => sink.close())

const batch = (...ids: string[]): string =>
  JSON.stringify({ batch: ids.map((uuid) => ({ event: EVENT, uuid, properties: {} })) })

const post = async (path: string, body: string | Uint8Array): Promise<{ status: number | undefined; text: string }> => {
  const sent = request({ port, path, method: 'POST' }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode, text }
}

it('knows events by the id of either protocol, packed, plain and alone', async () => {
  await post('/batch/', new Uint8Array(gzipSync(batch('a', 'b'))))
  await post('/v1/batch', JSON.stringify({ batch: [{ event: EVENT, messageId: 'c' }] }))
  await post('/i/v0/e/', JSON.stringify({ event: EVENT, uuid: 'd' }))
  expect(sink.events()).toBe(4)
  expect(sink.report()).toMatchObject({ delivered: 4, deliveredTwice: 0 })
})

it('counts an event that comes again apart, and says when each had come', async () => {
  await post('/batch/', batch('a', 'b'))
  await post('/batch/', batch('b', 'c', 'c'))
  const { arrivals, ...counts } = sink.report()
  expect(counts).toMatchObject({ delivered: 3, deliveredTwice: 2 })
  expect(arrivals.map(([, delivered]) => delivered)).toEqual([2, 3])
  expect(arrivals[0]![0]).toBeLessThanOrEqual(arrivals[1]![0])
})

it('leaves out what a package sends of its own', async () => {
  await post('/batch/', JSON.stringify({ batch: [{ event: '$identify', uuid: 'a' }] }))
  await post(
    '/batch/',
    JSON.stringify({
      batch: [
        { event: '$identify', uuid: 'b', about: EVENT },
        { event: EVENT, uuid: 'c' },
      ],
    }),
  )
  expect(sink.report()).toMatchObject({ delivered: 1, deliveredTwice: 0 })
})

it('takes nothing while it answers 503', async () => {
  sink.answer(503)
  expect(await post('/batch/', batch('a'))).toMatchObject({ status: 503 })
  expect(sink.report()).toMatchObject({ delivered: 0, refused: 1 })
  sink.answer(200)
  expect(await post('/batch/', batch('a'))).toEqual({ status: 200, text: '{"status":1}' })
  expect(await post('/v1/batch', batch('b'))).toEqual({ status: 200, text: '{"success":true}' })
  expect(sink.report()).toMatchObject({ delivered: 2, refused: 1 })
})

it('counts what came in by the sockets, header lines too, open and closed', async () => {
  const body = batch('a')
  const head = `POST /batch/ HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
  const sent = request({ port, path: '/batch/', method: 'POST', agent: false }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(sink.report().bytes).toBe(head.length + body.length)
  answer.resume()
  await once(sent, 'close')
  await expect.poll(() => sink.report().bytes).toBe(head.length + body.length)
})

it('refuses connections while it is down, and is back at the same port', async () => {
  await sink.close()
  await expect(post('/batch/', batch('a'))).rejects.toThrow(/ECONNREFUSED/)
  expect(await sink.listen(port)).toBe(port)
  await post('/batch/', batch('a'))
  expect(sink.report().delivered).toBe(1)
})
