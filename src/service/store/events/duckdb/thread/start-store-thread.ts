import { Worker } from 'node:worker_threads'
import type { QueryProgress } from '../../../../indexer/query-control.ts'
import type { AnswerOf } from '../../../../insight/question/questions.ts'
import type { EventStore } from '../../event-store.ts'
import { createEventStore } from '../open-store.ts'
import type { OpenedFile, PackedStore } from '../packed-store.ts'
import { buffersOf } from '../rows/packed-rows.ts'
import type { FileOfProject, FromStoreThread, Method, ToStoreThread } from './protocol.ts'
import { fromThreadError } from './thread-error.ts'

/** A thread in which event stores are open. This thread packs events meanwhile; two threads index almost twice as many. */
export interface StoreThread {
  /**
   * Opens or creates a project's event store. Rejects with nothing left open, so that it can be retried.
   *
   * @param onRepair Receives a message when a damaged part is created again, or an older file upgraded.
   */
  open(file: FileOfProject, onRepair: (message: string) => void): Promise<EventStore>
  /** Resolves as soon as the thread reads its messages. It does not while native code blocks it. */
  ping(): Promise<void>
  /** Ends the thread. Close its stores before. */
  stop(): Promise<void>
}

interface Call {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((progress: QueryProgress) => void) | undefined
}

interface SendOptions {
  /** Buffers that move to the thread. Default: none. */
  readonly transferred?: ArrayBuffer[]
  readonly onProgress?: ((progress: QueryProgress) => void) | undefined
}

/**
 * Starts the thread. An error that ends it, such as a full heap, ends the process, as it would without a thread.
 *
 * @param script The built script of the thread.
 */
export const startStoreThread = (script: string): StoreThread => {
  const worker = new Worker(script, { name: 'event-stores' })
  const calls = new Map<number, Call>()
  const repairListeners = new Map<number, (message: string) => void>()
  let callCount = 0
  let storeCount = 0

  worker.on('message', (message: FromStoreThread) => {
    if (message.type === 'repair') {
      repairListeners.get(message.store)?.(message.message)
      return
    }
    const call = calls.get(message.call)
    if (message.type === 'progress') {
      call?.onProgress?.(message.progress)
      return
    }
    calls.delete(message.call)
    if (message.type === 'error') call?.reject(fromThreadError(message.error))
    else call?.resolve(message.result)
  })
  worker.on('error', (error) => {
    throw error
  })
  worker.on('exit', () => {
    for (const { reject } of calls.values()) reject(new Error('The thread of the event stores has ended.'))
    calls.clear()
  })

  /** Sends a message with the number of its call; resolves to its result. */
  const send = (
    createMessage: (call: number) => ToStoreThread,
    { transferred = [], onProgress }: SendOptions = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      callCount += 1
      worker.postMessage(createMessage(callCount), transferred)
      calls.set(callCount, { resolve, reject, onProgress })
    })

  const createStore = (store: number, opened: OpenedFile): PackedStore => {
    const call = async <Name extends Method>(
      method: Name,
      input: Parameters<PackedStore[Name]>[0],
      transferred: ArrayBuffer[] = [],
    ): Promise<Awaited<ReturnType<PackedStore[Name]>>> =>
      (await send((number) => ({ type: 'call', call: number, store, method, input }), { transferred })) as Awaited<
        ReturnType<PackedStore[Name]>
      >
    return {
      opened,
      findStored: (uuids) => call('findStored', uuids, [uuids.buffer]),
      readStoredTimes: () => call('readStoredTimes', undefined),
      claim: (events) => call('claim', events),
      add: (batch) => call('add', batch, buffersOf(batch.events.rows)),
      commit: (end) => call('commit', end),
      discard: () => call('discard', undefined),
      canStore: (events) => call('canStore', events, buffersOf(events.rows)),
      async ask(name, question, { signal, onProgress } = {}) {
        let cancel = (): void => undefined
        const result = send(
          (number) => {
            cancel = () => worker.postMessage({ type: 'cancel', call: number } satisfies ToStoreThread)
            return { type: 'ask', call: number, store, name, question }
          },
          { onProgress },
        )
        signal?.addEventListener('abort', cancel)
        if (signal?.aborted) cancel()
        try {
          return (await result) as AnswerOf<typeof name>
        } finally {
          signal?.removeEventListener('abort', cancel)
        }
      },
      interrupt: () => worker.postMessage({ type: 'interrupt', store } satisfies ToStoreThread),
      async close() {
        await call('close', undefined)
        repairListeners.delete(store)
      },
    }
  }

  return {
    async open(file, onRepair) {
      storeCount += 1
      const store = storeCount
      repairListeners.set(store, onRepair)
      try {
        const opened = await send((call) => ({ type: 'open', call, store, file }))
        return createEventStore(createStore(store, opened as OpenedFile))
      } catch (error) {
        repairListeners.delete(store)
        throw error
      }
    },
    async ping() {
      await send((call) => ({ type: 'ping', call }))
    },
    async stop() {
      await worker.terminate()
    },
  }
}
