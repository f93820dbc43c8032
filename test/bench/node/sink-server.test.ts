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
  const outgoing = request({ port, path, method: 'POST' }).end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, text }
}

it('counts events of both protocols, gzipped, plain and single', async () => {
  await post('/batch/', new Uint8Array(gzipSync(batch('a', 'b'))))
  await post('/v1/batch', JSON.stringify({ batch: [{ event: EVENT, messageId: 'c' }] }))
  await post('/i/v0/e/', JSON.stringify({ event: EVENT, uuid: 'd' }))
  expect(sink.events()).toBe(4)
  expect(sink.report()).toMatchObject({ delivered: 4, deliveredTwice: 0 })
})

it('counts duplicates separately and records arrival times', async () => {
  await post('/batch/', batch('a', 'b'))
  await post('/batch/', batch('b', 'c', 'c'))
  const { arrivals, ...counts } = sink.report()
  expect(counts).toMatchObject({ delivered: 3, deliveredTwice: 2 })
  expect(arrivals.map(([, delivered]) => delivered)).toEqual([2, 3])
  expect(arrivals[0]![0]).toBeLessThanOrEqual(arrivals[1]![0])
})

it('ignores events that packages send themselves', async () => {
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

it('accepts no events while it responds with 503', async () => {
  sink.setStatus(503)
  expect(await post('/batch/', batch('a'))).toMatchObject({ status: 503 })
  expect(sink.report()).toMatchObject({ delivered: 0, refused: 1 })
  sink.setStatus(200)
  expect(await post('/batch/', batch('a'))).toEqual({ status: 200, text: '{"status":1}' })
  expect(await post('/v1/batch', batch('b'))).toEqual({ status: 200, text: '{"success":true}' })
  expect(sink.report()).toMatchObject({ delivered: 2, refused: 1 })
})

it('counts bytes of open and closed sockets, including headers', async () => {
  const body = batch('a')
  const head = `POST /batch/ HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
  const outgoing = request({ port, path: '/batch/', method: 'POST', agent: false }).end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  expect(sink.report().bytes).toBe(head.length + body.length)
  response.resume()
  await once(outgoing, 'close')
  await expect.poll(() => sink.report().bytes).toBe(head.length + body.length)
})

it('refuses connections while closed and listens on the same port again', async () => {
  await sink.close()
  await expect(post('/batch/', batch('a'))).rejects.toThrow(/ECONNREFUSED/)
  expect(await sink.listen(port)).toBe(port)
  await post('/batch/', batch('a'))
  expect(sink.report().delivered).toBe(1)
})
