import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Indexer, IndexerStatus } from '../indexer.ts'
import { createQueryRegistry } from '../query-registry.ts'
import type { MessageSender } from './message-stream.ts'
import { openMessageStream } from './message-stream.ts'
import type { FromRemoteIndexer, ToRemoteIndexer } from './remote-protocol.ts'

export interface ConnectIndexerOptions {
  /** See `indexerSocketPath`. */
  readonly path: string
  /** Called when a project's store has rows, up to `row`, that the inbox never assigned. */
  readonly onStoreAhead: (projectId: number, row: number) => void
}

/** Pause before the next attempt to connect. */
const RECONNECT_MS = 250

/** Requests of this time are told together. */
const WAKE_MS = 5

/** What is known of an indexer that is not connected. */
const AWAY: Pick<IndexerStatus, 'alive' | 'isBeingReplaced' | 'moving' | 'failure'> = {
  alive: false,
  isBeingReplaced: false,
  moving: null,
  failure: 'The indexer of this data folder is not running; events wait. Start it with "serve --role indexer".',
}

/** Uses the indexer of another process, now or as soon as it runs. */
export const connectIndexer = ({ path, onStoreAhead }: ConnectIndexerOptions): Indexer => {
  let socket: Socket
  /** Null while nothing is connected. */
  let indexer: MessageSender<ToRemoteIndexer> | null = null
  let status: IndexerStatus = { ...AWAY, position: 0, notice: null, rejected: 0 }
  let isStopped = false
  let reconnectTimer: NodeJS.Timeout | undefined
  let wakeTimer: NodeJS.Timeout | null = null

  const queries = createQueryRegistry({
    send: (message) => indexer?.send(message as ToRemoteIndexer),
    isAvailable: () => indexer !== null,
    isBusy: () => false,
    cpuMs: () => 0,
    // The indexer ends a query that does not stop.
    kill: () => undefined,
  })

  const handleMessage = (message: FromRemoteIndexer): void => {
    // An indexer that has just started does not know yet how far the one before it was.
    if (message.type === 'status')
      status = { ...message.status, position: Math.max(status.position, message.status.position) }
    else if (message.type === 'store_ahead') onStoreAhead(message.projectId, message.row)
    else queries.onMessage(message)
  }

  const open = (): void => {
    socket = connect(path)
    const stream = openMessageStream<ToRemoteIndexer>(socket, (message) => handleMessage(message as FromRemoteIndexer))
    socket.on('connect', () => {
      indexer = stream
      // Requests may have come before.
      stream.send({ type: 'wake' })
    })
    // 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      indexer = null
      status = { ...status, ...AWAY }
      queries.rejectAll('The indexer is not connected.')
      if (!isStopped) reconnectTimer = setTimeout(open, RECONNECT_MS)
    })
  }
  open()

  return {
    wake() {
      wakeTimer ??= setTimeout(() => {
        wakeTimer = null
        indexer?.send({ type: 'wake' })
      }, WAKE_MS)
    },
    query: ({ projectId, ...question }, control) => queries.ask(projectId, 'query', question, control),
    ask: queries.ask,
    status: () => status,
    async stop() {
      isStopped = true
      clearTimeout(reconnectTimer)
      if (wakeTimer !== null) clearTimeout(wakeTimer)
      socket.destroy()
    },
  }
}
