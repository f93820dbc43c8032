import { Worker } from 'node:worker_threads'
import type { ApiError } from '../../wire/error.ts'
import { busy, Refusal, unavailable } from '../refusal.ts'
import { bodyText } from './body.ts'
import { createFairQueue } from './fair-queue.ts'
import type { BodyForm } from './form.ts'
import { inspect } from './inspect.ts'
import type { Inspection } from './inspect.ts'

/**
 * Opens and reads bodies of any size without holding up the event loop. Those that wait for the thread are taken from each
 * sender in turn. Fails with `Refusal`: 503 for one that would wait too long.
 */
export interface BodyReader {
  /**
   * What a body holds (see `inspect`), and the body to be stored. One of more than a few hundred kilobytes is handed to another
   * thread: what was given is then empty, and what comes back is packed with gzip and reads the same.
   *
   * @param sender Who has sent it: an address.
   */
  inspect(
    body: Uint8Array,
    form: BodyForm,
    maxBytes: number,
    sender: string,
  ): Promise<{ inspection: Inspection; body: Uint8Array }>
  /** The JSON text in a body (see `bodyText`), which is then empty. */
  text(body: Uint8Array, form: BodyForm, maxBytes: number, sender: string): Promise<string>
  /** Bodies that are being read or wait for that. */
  waiting(): number
  /** Ends the thread; what waits is refused. */
  close(): Promise<void>
}

/** What the thread is asked. */
export interface ReadJob {
  readonly kind: 'inspect' | 'text'
  readonly body: Uint8Array
  readonly form: BodyForm
  readonly maxBytes: number
}

/** What it answers; a refusal as its parts, because classes do not cross threads. */
export type ReadAnswer =
  | { readonly kind: 'inspection'; readonly body: Uint8Array; readonly inspection: ThreadInspection }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refusal'; readonly refusal: RefusalParts }
  | { readonly kind: 'error'; readonly error: unknown }

/** An `Inspection` whose failure is in parts. */
export type ThreadInspection = Omit<Inspection, 'failure'> & { readonly failure: RefusalParts | null }

export interface RefusalParts {
  readonly status: number
  readonly body: ApiError
}

/** Bodies whose text is longer are read in a thread: up to here opening and checking one takes a few milliseconds. */
const INLINE_BYTES = 256 * 1024

/** lz64 takes its time per byte of input, too. */
const INLINE_LZ64_BYTES = 64 * 1024

/** A thread that has had nothing to do for so long is ended, which gives its memory back. */
const IDLE_MS = 10_000

/** How long a body may wait for the thread: senders give up after ten seconds, most of them, and send it once more. */
const MOST_WAIT_MS = 5000

/** Bodies that may wait, of all senders. */
const MOST_WAITING = 256

/** Makes a reader. Its thread, of which there is one so that one body at most is open, starts with the first large body. `mostWaitMs` is how long a body may wait for it. */
export const createBodyReader = (script: string | URL, mostWaitMs: number = MOST_WAIT_MS): BodyReader => {
  const jobs = createFairQueue<Job>(MOST_WAITING)
  let running: Job | null = null
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  /** The thread ran out of memory, or was never started for want of it: there will be some. */
  const end = (failure: unknown): void => {
    worker = null
    const job = running
    running = null
    job?.reject(busy(failure))
  }

  const start = (): Worker => {
    // Standard output stays this process's own; the thread has nothing to say.
    const started = new Worker(script, { name: 'body-reader' })
    started.unref()
    started.on('message', (answer: ReadAnswer) => {
      const job = running
      running = null
      settle(job, answer)
      next()
    })
    started.on('error', (error: Error) => {
      if (worker === started) end(error)
    })
    started.on('exit', () => {
      if (worker === started) end(new Error('The thread that reads bodies ended.'))
      next()
    })
    return started
  }

  const next = (): void => {
    if (running !== null) return
    clearTimeout(idle)
    running = jobs.next() ?? null
    if (running === null) {
      idle = setTimeout(() => {
        const ended = worker
        worker = null
        void ended?.terminate()
      }, IDLE_MS).unref()
      return
    }
    clearTimeout(running.deadline)
    try {
      worker ??= start()
      // While something runs, the process must not end for want of anything else to do.
      worker.ref()
      const { kind, form, maxBytes } = running
      const body = transferable(running.body)
      worker.postMessage({ kind, body, form, maxBytes } satisfies ReadJob, [body.buffer])
    } catch (error) {
      end(error)
      setImmediate(next)
    }
  }

  const inThread = (given: ReadJob, sender: string): Promise<ReadAnswer> =>
    new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        if (jobs.remove(sender, job)) reject(busy())
      }, mostWaitMs)
      const job: Job = { ...given, deadline, resolve, reject }
      const refused = jobs.add(sender, job)
      clearTimeout(refused?.deadline)
      refused?.reject(busy())
      next()
    })

  const settle = (job: Job | null, answer: ReadAnswer): void => {
    if (jobs.length() === 0) worker?.unref()
    if (answer.kind === 'refusal') job?.reject(refusalOf(answer.refusal))
    else if (answer.kind === 'error') job?.reject(answer.error)
    else job?.resolve(answer)
  }

  return {
    async inspect(body, form, maxBytes, sender) {
      const inspection = tryInline(body, form, maxBytes, inspect)
      if (inspection !== null) return { inspection, body }
      const answer = await inThread({ kind: 'inspect', body, form, maxBytes }, sender)
      if (answer.kind !== 'inspection') throw new Error(`An inspection was answered with ${answer.kind}.`)
      const { failure } = answer.inspection
      return {
        inspection: { ...answer.inspection, failure: failure === null ? null : refusalOf(failure) },
        body: answer.body,
      }
    },
    async text(body, form, maxBytes, sender) {
      const text = tryInline(body, form, maxBytes, bodyText)
      if (text !== null) return text
      const answer = await inThread({ kind: 'text', body, form, maxBytes }, sender)
      if (answer.kind !== 'text') throw new Error(`A text was answered with ${answer.kind}.`)
      return answer.text
    },
    waiting: () => jobs.length() + (running === null ? 0 : 1),
    async close() {
      clearTimeout(idle)
      const ended = worker
      worker = null
      for (const job of [running, ...jobs.clear()]) {
        clearTimeout(job?.deadline)
        job?.reject(unavailable('stopping', 'The service is stopping. Send this again in a second.', 1))
      }
      running = null
      await ended?.terminate()
    },
  }
}

interface Job extends ReadJob {
  /** Ends the wait. */
  readonly deadline: NodeJS.Timeout
  readonly resolve: (answer: ReadAnswer) => void
  readonly reject: (error: unknown) => void
}

/** Reads a body here when that is short work, and answers null when it is not. */
const tryInline = <Result>(
  body: Uint8Array,
  form: BodyForm,
  maxBytes: number,
  read: (body: Uint8Array, form: BodyForm, maxBytes: number) => Result,
): Result | null => {
  const most = mayBeLz64(body, form) ? INLINE_LZ64_BYTES : INLINE_BYTES
  if (maxBytes <= INLINE_BYTES) return body.length < most || body.length >= maxBytes ? read(body, form, maxBytes) : null
  if (body.length >= maxBytes) return read(body, form, maxBytes)
  if (body.length >= most) return null
  try {
    return read(body, form, INLINE_BYTES)
  } catch (error) {
    // What is larger once opened than may be read here is tried again there, with the true bound.
    if (error instanceof Refusal && error.status === 413) return null
    throw error
  }
}

const BRACES: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b])

/** Whether a body may be lz64: a form's or a bare one's; plain JSON and gzip show themselves. */
const mayBeLz64 = (body: Uint8Array, { compression, type }: BodyForm): boolean =>
  (compression === 'lz64' || type === 'form' || body[0] === 0x64) && !BRACES.has(body[0])

/** A body that fills a buffer of its own is moved, any other is copied. */
const transferable = (body: Uint8Array): Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength
    ? (body as Uint8Array<ArrayBuffer>)
    : new Uint8Array(body)

const refusalOf = ({ status, body }: RefusalParts): Refusal => new Refusal(status, body)
