import type { Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Indexer, IndexerStatus } from '../../../../src/service/indexer/indexer.ts'
import { QueryError } from '../../../../src/service/indexer/query-error.ts'
import { connectIndexer } from '../../../../src/service/indexer/remote/connect-indexer.ts'
import { openMessageStream } from '../../../../src/service/indexer/remote/message-stream.ts'
import { indexerSocketPath } from '../../../../src/service/indexer/remote/remote-protocol.ts'
import { serveIndexer } from '../../../../src/service/indexer/remote/serve-indexer.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const RUNNING: IndexerStatus = {
  alive: true,
  isBeingReplaced: false,
  moving: null,
  notice: null,
  position: 0,
  failure: null,
  rejected: 0,
}

/** A front and an indexer of one folder. What the indexer answers is replaced by each test. */
const openBoth = async () => {
  const path = indexerSocketPath(createTempFolder())
  let status = RUNNING
  const indexer = { wake: vi.fn(), ask: vi.fn<Indexer['ask']>(), status: () => status }
  const onStoreAhead = vi.fn()
  const front = connectIndexer({ path, onStoreAhead })
  onTestFinished(() => front.stop())
  const serve = async () => {
    const served = await serveIndexer(path, indexer)
    onTestFinished(served.close)
    await expect.poll(() => front.status().alive).toBe(true)
    return served
  }
  return { front, indexer, onStoreAhead, serve, setStatus: (next: IndexerStatus) => void (status = next) }
}

const QUESTION = { projectId: 7, sql: 'SELECT 1', maxRows: 1, timeoutMs: 1000 }

test('a front follows the indexer, and tells it of new requests', async () => {
  const { front, indexer, onStoreAhead, serve, setStatus } = await openBoth()
  expect(front.status()).toMatchObject({
    alive: false,
    position: 0,
    failure: expect.stringContaining('--role indexer'),
  })
  const served = await serve()
  await expect.poll(() => indexer.wake.mock.calls.length).toBe(1)
  for (let request = 0; request < 100; request++) front.wake()
  await expect.poll(() => indexer.wake.mock.calls.length).toBe(2)
  setStatus({ ...RUNNING, position: 12, rejected: 3, failure: 'The disk is full.' })
  await expect.poll(front.status).toEqual({ ...RUNNING, position: 12, rejected: 3, failure: 'The disk is full.' })
  served.onStoreAhead(7, 500)
  await expect.poll(() => onStoreAhead.mock.calls).toEqual([[7, 500]])

  await served.close()
  await expect.poll(() => front.status().alive).toBe(false)
  expect(front.status()).toMatchObject({ position: 12, rejected: 3 })
  // The next indexer has to read how far it was.
  setStatus(RUNNING)
  await serve()
  expect(front.status().position).toBe(12)
})

test('questions are answered, whatever they and their answers contain', async () => {
  const { front, indexer, serve } = await openBoth()
  await serve()
  const lines = new Uint8Array(3_000_000).fill(65)
  indexer.ask.mockImplementation(async (projectId, name, question, control) => {
    control!.onProgress!({ rowsRead: 5, estimatedRows: 10 })
    return { projectId, name, question, lines, at: new Date(5), none: undefined } as never
  })
  const onProgress = vi.fn()
  const { projectId, ...sql } = QUESTION
  const { lines: answered, ...answer } = await front.ask(projectId, 'queryLines', sql, { onProgress })
  expect(answer).toEqual({ projectId, name: 'queryLines', question: sql, at: new Date(5), none: undefined })
  expect(Buffer.compare(answered, lines)).toBe(0)
  expect(onProgress.mock.calls).toEqual([[{ rowsRead: 5, estimatedRows: 10 }]])
})

test('an error keeps its code, and others say that the store is unavailable', async () => {
  const { front, indexer, serve } = await openBoth()
  await serve()
  indexer.ask.mockRejectedValueOnce(new QueryError('memory', 'Too large.'))
  await expect(front.query(QUESTION)).rejects.toMatchObject({ code: 'memory', message: 'Too large.' })
  indexer.ask.mockRejectedValueOnce(new Error('A fault.'))
  await expect(front.query(QUESTION)).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a question is cancelled by its asker, and when its front has gone', async () => {
  const { front, indexer, serve } = await openBoth()
  await serve()
  const signals: AbortSignal[] = []
  indexer.ask.mockImplementation((_projectId, _name, _question, control) => {
    const signal = control!.signal!
    signals.push(signal)
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new QueryError('cancelled', 'The query was cancelled.'))),
    )
  })
  const asker = new AbortController()
  const first = front.query(QUESTION, { signal: asker.signal })
  await expect.poll(() => signals.length).toBe(1)
  asker.abort()
  await expect(first).rejects.toMatchObject({ code: 'cancelled' })
  const second = front.query({ ...QUESTION, timeoutMs: 60_000 })
  await expect.poll(() => signals.length).toBe(2)
  await front.stop()
  await expect(second).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect.poll(() => signals[1]!.aborted).toBe(true)
  await expect(front.query(QUESTION)).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a socket that a killed indexer has left is replaced', async () => {
  const folder = createTempFolder()
  const path = indexerSocketPath(folder)
  await serveIndexer(path, { wake: vi.fn(), ask: vi.fn(), status: () => RUNNING })
  const next = await serveIndexer(path, { wake: vi.fn(), ask: vi.fn(), status: () => ({ ...RUNNING, position: 3 }) })
  onTestFinished(next.close)
  const front = connectIndexer({ path, onStoreAhead: vi.fn() })
  onTestFinished(() => front.stop())
  await expect.poll(() => front.status().position).toBe(3)
})

test('a folder whose path is too long for a socket is refused', () => {
  expect(() => indexerSocketPath(join('/data', 'x'.repeat(100)))).toThrow(/too long for a socket/)
})

/** The bytes that are sent for messages. */
const toBytes = (messages: readonly unknown[]): Buffer => {
  const socket = new PassThrough()
  const { send } = openMessageStream(socket as unknown as Socket, () => undefined)
  const parts: Buffer[] = []
  vi.spyOn(socket, 'write').mockImplementation((bytes: Buffer) => parts.push(bytes) > 0)
  for (const message of messages) send(message)
  return Buffer.concat(parts)
}

test('messages arrive whole and in order, in whatever parts their bytes do', () => {
  const messages = [{ a: 1 }, 'ключ', new Uint8Array(300), [], null, { deep: [{ at: new Date(1) }] }]
  const bytes = toBytes(messages)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const received: unknown[] = []
      const socket = new PassThrough()
      openMessageStream(socket as unknown as Socket, (message) => received.push(message))
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      for (const [index, end] of places.slice(1).entries()) socket.emit('data', bytes.subarray(places[index], end))
      expect(received).toEqual(messages)
    }),
  )
})
