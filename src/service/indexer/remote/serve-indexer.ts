import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import type { Indexer } from '../indexer.ts'
import type { QueryProgress } from '../query-control.ts'
import { QueryError } from '../query-error.ts'
import type { MessageSender } from './message-stream.ts'
import { openMessageStream } from './message-stream.ts'
import type { FromRemoteIndexer, ToRemoteIndexer } from './remote-protocol.ts'

/** An indexer that a front in another process uses. */
export interface ServedIndexer {
  /** Tells the front that a project's store has rows, up to `row`, that the inbox never assigned. */
  readonly onStoreAhead: (projectId: number, row: number) => void
  close(): Promise<void>
}

/** Interval at which changes of the status are told. The front deletes stored requests four times a second. */
const STATUS_INTERVAL_MS = 100

/**
 * Listens for the front of the same data folder, whose lock this process has: a socket that is there already is left over.
 *
 * @param path See `indexerSocketPath`.
 */
export const serveIndexer = async (
  path: string,
  indexer: Pick<Indexer, 'wake' | 'ask' | 'status'>,
): Promise<ServedIndexer> => {
  const fronts = new Map<Socket, MessageSender<FromRemoteIndexer>>()

  const answer = async (
    { send }: MessageSender<FromRemoteIndexer>,
    { id, projectId, name, question }: Extract<ToRemoteIndexer, { type: 'query' }>,
    signal: AbortSignal,
  ): Promise<void> => {
    try {
      const onProgress = (progress: QueryProgress): void => send({ type: 'query_progress', id, progress })
      send({ type: 'query_result', id, result: await indexer.ask(projectId, name, question, { signal, onProgress }) })
    } catch (error) {
      const { code, message } =
        error instanceof QueryError ? error : new QueryError('store_unavailable', String(error), { cause: error })
      send({ type: 'query_error', id, code, detail: message })
    }
  }

  const server = createServer((socket) => {
    const running = new Map<number, AbortController>()
    const handleMessage = (message: ToRemoteIndexer): void => {
      if (message.type === 'wake') indexer.wake()
      else if (message.type === 'cancel') running.get(message.id)?.abort()
      else {
        const control = new AbortController()
        running.set(message.id, control)
        void answer(stream, message, control.signal).finally(() => running.delete(message.id))
      }
    }
    const stream = openMessageStream<FromRemoteIndexer>(socket, (message) => handleMessage(message as ToRemoteIndexer))
    fronts.set(socket, stream)
    let told = ''
    const tellStatus = (): void => {
      const status = indexer.status()
      const text = JSON.stringify(status)
      if (text !== told) stream.send({ type: 'status', status })
      told = text
    }
    tellStatus()
    const timer = setInterval(tellStatus, STATUS_INTERVAL_MS)
    // A front that is killed ends its connection; 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      fronts.delete(socket)
      // Nobody waits for the answers.
      for (const control of running.values()) control.abort()
    })
  })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })

  return {
    onStoreAhead(projectId, row) {
      for (const { send } of fronts.values()) send({ type: 'store_ahead', projectId, row })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of fronts.keys()) socket.destroy()
      }),
  }
}
