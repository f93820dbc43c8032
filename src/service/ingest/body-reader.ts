import { Worker } from 'node:worker_threads'
import type { ApiError } from '../../wire/error.ts'
import { busy, HttpError, unavailable } from '../http-error.ts'
import { decodeBody } from './decode-body.ts'
import { createFairQueue } from './fair-queue.ts'
import type { BodyFormat } from './body-format.ts'
import { inspectBody } from './inspect-body.ts'
import type { Inspection } from './inspect-body.ts'

/**
 * Decodes bodies of any size without blocking the event loop. Bodies that wait for the thread are taken from the senders in
 * turn. Fails with `HttpError` 503 for a body that would wait too long.
 */
export interface BodyReader {
  /**
   * Inspects a body (see `inspectBody`) and returns the body to store. A body of more than a few hundred kilobytes moves to
   * another thread. The input array is then empty, and the returned body is compressed with gzip.
   *
   * @param sender IP address of the sender.
   */
  inspect(
    body: Uint8Array,
    format: BodyFormat,
    maxBytes: number,
    sender: string,
  ): Promise<{ inspection: Inspection; body: Uint8Array }>
  /** Decodes a body to its JSON string (see `decodeBody`). The input array may be empty afterwards. */
  readString(body: Uint8Array, format: BodyFormat, maxBytes: number, sender: string): Promise<string>
  /** Number of bodies that wait for the thread or are in it. */
  pendingCount(): number
  /** Ends the thread; pending bodies fail with 503. */
  close(): Promise<void>
}

/** A message to the thread. */
export interface ReadJob {
  readonly kind: 'inspect' | 'string'
  readonly body: Uint8Array
  readonly format: BodyFormat
  readonly maxBytes: number
}

/** A message from the thread; errors are plain objects because class instances cannot be passed between threads. */
export type ReadResult =
  | { readonly kind: 'inspection'; readonly body: Uint8Array; readonly inspection: SerializedInspection }
  | { readonly kind: 'string'; readonly string: string }
  | { readonly kind: 'http_error'; readonly httpError: SerializedHttpError }
  | { readonly kind: 'error'; readonly error: unknown }

/** An `Inspection` whose failure is a plain object. */
export type SerializedInspection = Omit<Inspection, 'failure'> & { readonly failure: SerializedHttpError | null }

export interface SerializedHttpError {
  readonly status: number
  readonly body: ApiError
}

/** Larger decoded bodies are read in the thread; up to this size decoding and checking take a few milliseconds. */
const MAX_INLINE_BYTES = 256 * 1024

/** Decoding lz64 takes much longer per byte, so its encoded size has a smaller limit. */
const MAX_INLINE_LZ64_BYTES = 64 * 1024

/** A thread that is idle for this time is ended, to free its memory. */
const IDLE_TIMEOUT_MS = 10_000

/** How long a body may wait for the thread: most senders give up after ten seconds and send it again. */
const MAX_WAIT_MS = 5000

/** Maximum number of waiting bodies, of all senders together. */
const MAX_PENDING = 256

/**
 * Creates a body reader. It has one thread, so that at most one large body is decoded at a time; the first large body starts
 * it.
 *
 * @param script The built script of the thread.
 * @param maxWaitMs How long a body may wait for the thread. Default 5,000.
 */
export const createBodyReader = (script: string | URL, maxWaitMs: number = MAX_WAIT_MS): BodyReader => {
  const jobs = createFairQueue<Job>(MAX_PENDING)
  let runningJob: Job | null = null
  let worker: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined

  /** The thread ran out of memory, or could not start for lack of it; a retry can succeed. */
  const onThreadEnded = (cause: unknown): void => {
    worker = null
    const job = runningJob
    runningJob = null
    job?.reject(busy(cause))
  }

  const startThread = (): Worker => {
    const thread = new Worker(script, { name: 'body-reader' })
    thread.unref()
    thread.on('message', (result: ReadResult) => {
      const job = runningJob
      runningJob = null
      settle(job, result)
      runNext()
    })
    thread.on('error', (error: Error) => {
      if (worker === thread) onThreadEnded(error)
    })
    thread.on('exit', () => {
      if (worker === thread) onThreadEnded(new Error('The thread that reads bodies exited.'))
      runNext()
    })
    return thread
  }

  const runNext = (): void => {
    if (runningJob !== null) return
    clearTimeout(idleTimer)
    runningJob = jobs.next() ?? null
    if (runningJob === null) {
      idleTimer = setTimeout(() => {
        const thread = worker
        worker = null
        void thread?.terminate()
      }, IDLE_TIMEOUT_MS).unref()
      return
    }
    clearTimeout(runningJob.deadline)
    try {
      worker ??= startThread()
      // Keeps the process alive while a job runs.
      worker.ref()
      const { kind, format, maxBytes } = runningJob
      const body = toTransferable(runningJob.body)
      worker.postMessage({ kind, body, format, maxBytes } satisfies ReadJob, [body.buffer])
    } catch (error) {
      onThreadEnded(error)
      setImmediate(runNext)
    }
  }

  const runInThread = (input: ReadJob, sender: string): Promise<ReadResult> =>
    new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        if (jobs.remove(sender, job)) reject(busy())
      }, maxWaitMs)
      const job: Job = { ...input, deadline, resolve, reject }
      const displacedJob = jobs.add(sender, job)
      clearTimeout(displacedJob?.deadline)
      displacedJob?.reject(busy())
      runNext()
    })

  const settle = (job: Job | null, result: ReadResult): void => {
    if (jobs.length() === 0) worker?.unref()
    if (result.kind === 'http_error') job?.reject(toHttpError(result.httpError))
    else if (result.kind === 'error') job?.reject(result.error)
    else job?.resolve(result)
  }

  return {
    async inspect(body, format, maxBytes, sender) {
      const inspection = tryInline(body, format, maxBytes, inspectBody)
      if (inspection !== null) return { inspection, body }
      const result = await runInThread({ kind: 'inspect', body, format, maxBytes }, sender)
      if (result.kind !== 'inspection') throw new Error(`Expected an inspection from the thread, got "${result.kind}".`)
      const { failure } = result.inspection
      return {
        inspection: { ...result.inspection, failure: failure === null ? null : toHttpError(failure) },
        body: result.body,
      }
    },
    async readString(body, format, maxBytes, sender) {
      const string = tryInline(body, format, maxBytes, decodeBody)
      if (string !== null) return string
      const result = await runInThread({ kind: 'string', body, format, maxBytes }, sender)
      if (result.kind !== 'string') throw new Error(`Expected a string from the thread, got "${result.kind}".`)
      return result.string
    },
    pendingCount: () => jobs.length() + (runningJob === null ? 0 : 1),
    async close() {
      clearTimeout(idleTimer)
      const thread = worker
      worker = null
      for (const job of [runningJob, ...jobs.clear()]) {
        clearTimeout(job?.deadline)
        job?.reject(unavailable('stopping', 'The service is stopping. Retry in a second.', 1))
      }
      runningJob = null
      await thread?.terminate()
    },
  }
}

interface Job extends ReadJob {
  /** The timer that ends the wait. */
  readonly deadline: NodeJS.Timeout
  readonly resolve: (result: ReadResult) => void
  readonly reject: (error: unknown) => void
}

/** Reads a body on this thread when that is quick; returns null when the body needs the other thread. */
const tryInline = <Result>(
  body: Uint8Array,
  format: BodyFormat,
  maxBytes: number,
  read: (body: Uint8Array, format: BodyFormat, maxBytes: number) => Result,
): Result | null => {
  const limit = canBeLz64(body, format) ? MAX_INLINE_LZ64_BYTES : MAX_INLINE_BYTES
  if (maxBytes <= MAX_INLINE_BYTES)
    return body.length < limit || body.length >= maxBytes ? read(body, format, maxBytes) : null
  if (body.length >= maxBytes) return read(body, format, maxBytes)
  if (body.length >= limit) return null
  try {
    return read(body, format, MAX_INLINE_BYTES)
  } catch (error) {
    // The decoded body is too large for this thread, so the other one tries it with the real limit.
    if (error instanceof HttpError && error.status === 413) return null
    throw error
  }
}

const JSON_OPENING_BYTES: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b])

/** Whether a body can be lz64, in a form or bare. JSON and gzip are recognised by their first bytes. */
const canBeLz64 = (body: Uint8Array, { compression, type }: BodyFormat): boolean =>
  (compression === 'lz64' || type === 'form' || body[0] === 0x64) && !JSON_OPENING_BYTES.has(body[0])

/** An array that fills its buffer is moved between threads; any other is copied first. */
const toTransferable = (body: Uint8Array): Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength
    ? (body as Uint8Array<ArrayBuffer>)
    : new Uint8Array(body)

const toHttpError = ({ status, body }: SerializedHttpError): HttpError => new HttpError(status, body)
