import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createBodyBudget } from '../../../src/service/http/body-budget.ts'
import { CHUNK_BYTES } from '../../../src/service/http/send-in-chunks.ts'
import { createServer } from '../../../src/service/http/server.ts'
import { createUnsentBytes, STALL_MS } from '../../../src/service/http/unsent-bytes.ts'
import { withDefaults } from '../../../src/service/config.ts'
import { createSchemaCompilers } from '../../../src/service/schema/compilers.ts'
import { until } from '../../support/until.ts'

const MB = 2 ** 20
/** More than the system takes for a client that does not read. */
const ANSWER = 'é'.repeat(10 * MB)
const SHARED = Buffer.alloc(20 * MB, 'x')

/** Fewer characters than are counted, and more bytes. */
const SMALL = 'x'.repeat(50_000)

const openServer = async () => {
  let timeMs = 0
  const config = withDefaults({ maxUnsentBytes: 64 * MB })
  const unsentBytes = createUnsentBytes({ limitBytes: config.maxUnsentBytes, now: () => timeMs })
  const bodyBudget = createBodyBudget({ limitBytes: MB, maxBodyBytes: MB, now: () => timeMs })
  const errors: unknown[] = []
  const app = createServer({
    config,
    bodyBudget,
    unsentBytes,
    compilersFactory: createSchemaCompilers({}).compilersFactory,
    onClosing: () => {},
    onError: (error) => errors.push(error),
  })
  app.get('/answer', (_request, reply) => reply.header('etag', '"1"').type('text/csv').send(ANSWER))
  app.get('/shared', () => SHARED)
  app.get('/small', () => SMALL)
  const sockets: Socket[] = []
  app.server.on('connection', (socket: Socket) => sockets.push(socket))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  /** Sends a request whose answer is not read. */
  const ask = (path: string, count = 1) => {
    const client = connect({ port, host: '127.0.0.1' })
    client.on('error', () => {})
    client.pause()
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
    onTestFinished(() => void client.destroy())
    return client
  }
  const wait = (ms: number) => {
    timeMs += ms
    unsentBytes.check()
  }
  return { url: `http://127.0.0.1:${port}`, unsentBytes, sockets, ask, wait, errors }
}

const blocked = (sockets: readonly Socket[]): readonly Socket[] =>
  sockets.filter((socket) => socket.writableNeedDrain && !socket.destroyed)

test('sends a large answer whole, with its length', async () => {
  const { url, unsentBytes } = await openServer()
  const response = await fetch(`${url}/answer`)
  expect(response.headers.get('content-length')).toBe(String(20 * MB))
  expect((await response.text()) === ANSWER).toBe(true)
  const head = await fetch(`${url}/answer`, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(20 * MB))
  await until(unsentBytes.usedBytes, (bytes) => bytes === 0)
})

test('gives a socket no more than some chunks of an answer that nobody reads', async () => {
  const { sockets, ask } = await openServer()
  ask('/answer')
  const [socket] = await until(
    () => blocked(sockets),
    ({ length }) => length === 1,
  )
  expect(socket!.writableLength).toBeLessThan(4 * CHUNK_BYTES)
})

test('answers 503 when the memory is used up, and frees it with stuck clients', async () => {
  const { url, unsentBytes, sockets, ask, wait, errors } = await openServer()
  for (let n = 0; n < 3; n++) ask('/answer')
  await until(unsentBytes.usedBytes, (bytes) => bytes === 60 * MB)
  await until(
    () => blocked(sockets),
    ({ length }) => length === 3,
  )
  // What the system took at the start counts as read until then.
  wait(3000)
  const refused = await fetch(`${url}/answer`)
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('etag')]).toEqual([503, '1', null])
  expect(await refused.json()).toMatchObject({ type: 'server_error', code: 'busy' })
  wait(3000)
  expect((await (await fetch(`${url}/answer`)).arrayBuffer()).byteLength).toBe(20 * MB)
  // The connection that was read whole waits for a moment, too.
  await until(
    () => blocked(sockets),
    ({ length }) => length === 2,
  )
  wait(STALL_MS)
  expect(blocked(sockets)).toHaveLength(0)
  await until(unsentBytes.usedBytes, (bytes) => bytes === 0)
  expect(errors).toHaveLength(1)
})

test('counts an answer that many clients share once', async () => {
  const { unsentBytes, sockets, ask } = await openServer()
  for (let n = 0; n < 20; n++) ask('/shared')
  await until(
    () => blocked(sockets),
    ({ length }) => length === 20,
  )
  expect(unsentBytes.usedBytes()).toBe(20 * MB)
})

test('ends a connection that takes nothing for half a minute', async () => {
  const { sockets, ask, wait } = await openServer()
  const client = ask('/answer')
  await until(
    () => blocked(sockets),
    ({ length }) => length === 1,
  )
  wait(0)
  wait(STALL_MS)
  expect(sockets[0]!.destroyed).toBe(true)
  client.destroy()
})

test('counts small answers that wait for those before them', async () => {
  const { unsentBytes, ask } = await openServer()
  const client = ask('/small', 1000)
  await until(unsentBytes.usedBytes, (bytes) => bytes > 10 * MB)
  // A quarter of all bytes, and no more.
  expect(unsentBytes.usedBytes()).toBeLessThanOrEqual(16 * MB + 50_000)
  client.destroy()
  await until(unsentBytes.usedBytes, (bytes) => bytes === 0)
})
