import { parentPort } from 'node:worker_threads'
import { createLogs } from '../../../../log/create-logs.ts'
import { createPersonIdCache } from '../../../../persons/person-id.ts'
import { join, dirname } from 'node:path'
import { openPackedStore } from '../open-packed-store.ts'
import type { SharedInstance } from '../shared-instance.ts'
import { createSharedInstance } from '../shared-instance.ts'
import type { PackedStore } from '../packed-store.ts'
import type { FileOfProject, FromStoreThread, Method, ToStoreThread } from './protocol.ts'
import { toThreadError } from './thread-error.ts'

/** The script of the thread in which the indexer's event stores are open. */

const stores = new Map<number, PackedStore>()

const send = (message: FromStoreThread): void => parentPort?.postMessage(message)

/** The front starts the next process. The message is written at once: this thread's console needs the main thread. */
const endProcess = (): void => {
  createLogs()('indexer').warn(
    'A query took far more memory than it may and could not be interrupted: the indexer process ends.',
  )
  process.kill(process.pid, 'SIGKILL')
}

let shared: SharedInstance | undefined

const open = async (
  store: number,
  { projectId, isBrief = false, ...file }: FileOfProject,
): Promise<PackedStore['opened']> => {
  if (isBrief) shared ??= createSharedInstance(join(dirname(file.file), 'shared'), file)
  const opened = await openPackedStore({
    ...file,
    shared: isBrief ? shared : undefined,
    deriveOriginId: createPersonIdCache(projectId),
    onRepair: (message) => send({ type: 'repair', store, message }),
    endProcess,
  })
  stores.set(store, opened)
  return opened.opened
}

const storeOf = (store: number): PackedStore => {
  const target = stores.get(store)
  if (target === undefined) throw new Error(`The store ${store} is not open.`)
  return target
}

const call = async (store: number, method: Method, input: unknown): Promise<unknown> => {
  const target = storeOf(store)
  if (method === 'close') stores.delete(store)
  // The sender's types are those of the method (`startStoreThread`).
  return (target[method] as (input: unknown) => Promise<unknown>)(input)
}

/** The questions that are being answered, by their call. */
const cancellers = new Map<number, AbortController>()

const ask = async ({ call: number, store, name, question }: AskMessage): Promise<unknown> => {
  const canceller = new AbortController()
  cancellers.set(number, canceller)
  try {
    return await storeOf(store).ask(name, question, {
      signal: canceller.signal,
      onProgress: (progress) => send({ type: 'progress', call: number, progress }),
    })
  } finally {
    cancellers.delete(number)
  }
}

type AskMessage = Extract<ToStoreThread, { type: 'ask' }>

const answer = async (callNumber: number, work: Promise<unknown>): Promise<void> => {
  try {
    send({ type: 'result', call: callNumber, result: await work })
  } catch (error) {
    send({ type: 'error', call: callNumber, error: toThreadError(error) })
  }
}

parentPort?.on('message', (message: ToStoreThread) => {
  switch (message.type) {
    case 'open':
      void answer(message.call, open(message.store, message.file))
      break
    case 'call':
      void answer(message.call, call(message.store, message.method, message.input))
      break
    case 'ask':
      void answer(message.call, ask(message))
      break
    case 'cancel':
      cancellers.get(message.call)?.abort()
      break
    case 'interrupt':
      stores.get(message.store)?.interrupt()
      break
    case 'ping':
      send({ type: 'result', call: message.call, result: null })
  }
})
