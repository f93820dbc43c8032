import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { StartError } from '../../data-folder.ts'
import { PictureError } from './picture-error.ts'
import type { PictureRequest } from './picture.ts'

/** Draws pictures in a thread of its own, one at a time, in the order of the requests. */
export interface Renderer {
  /** The bytes of the file. Rejects with `PictureError`; later pictures are drawn all the same. */
  render(request: PictureRequest): Promise<Uint8Array>
  /** Ends the thread; pictures that are not drawn yet are rejected. */
  close(): Promise<void>
}

export interface RendererOptions {
  /** The built script of the thread. */
  readonly script: string | URL
  /** Absolute path of a folder with further fonts; null for none. */
  readonly fontsFolder: string | null
  /** Receives a message, for example for a file among the fonts that is none. */
  readonly onWarning: (message: string) => void
  /** Milliseconds that drawing one picture may take. Default 30,000. */
  readonly timeoutMs?: number
  /** A thread that is idle for this time is ended, to free its memory. Default 10,000. */
  readonly idleTimeoutMs?: number
}

/** What the thread is started with. */
export interface ThreadSettings {
  readonly fontsFolder: string | null
}

/** A message from the thread: the end of a job, or a warning. The message to it is the request. */
export type RenderResult =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'warning'; readonly message: string }

const TIMEOUT_MS = 30_000
const IDLE_TIMEOUT_MS = 10_000

/** Most pictures that wait: each holds its answer in memory. */
const MAX_WAITING = 32

/** Megabytes of the heap of the thread. A picture that needs more ends the thread, not the process. */
const MAX_HEAP_MB = 512

/** The first picture starts the thread. Throws `StartError` when there is no folder of fonts where one should be. */
export const createRenderer = ({
  script,
  fontsFolder,
  onWarning,
  timeoutMs = TIMEOUT_MS,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
}: RendererOptions): Renderer => {
  if (fontsFolder !== null && !statSync(fontsFolder, { throwIfNoEntry: false })?.isDirectory())
    throw new StartError(
      `--fonts-folder is "${fontsFolder}", which is not an existing folder; set an existing one, or omit the option.`,
    )
  const waitingJobs: Job[] = []
  let runningJob: Job | null = null
  let worker: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let timeoutTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const startThread = (): Worker => {
    const thread = new Worker(script, {
      name: 'pictures',
      // The thread needs nothing of the environment; the library of charts checks less in production.
      env: { NODE_ENV: 'production' },
      workerData: { fontsFolder } satisfies ThreadSettings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    thread.on('message', (result: RenderResult) => {
      if (result.kind === 'warning') onWarning(result.message)
      else if (worker === thread) settle(result)
    })
    thread.on('error', (error) => {
      if (worker === thread) onThreadEnded(error)
    })
    thread.on('exit', () => {
      if (worker === thread) onThreadEnded(new Error('The thread of the pictures exited.'))
    })
    return thread
  }

  const onThreadEnded = (cause: unknown): void => {
    worker = null
    finish()?.reject(
      new PictureError('crashed', 'Drawing the picture failed: it may need too much memory. Ask for less data.', {
        cause,
      }),
    )
  }

  const settle = (result: Exclude<RenderResult, { kind: 'warning' }>): void => {
    // An idle thread does not keep the process alive.
    worker?.unref()
    const job = finish()
    if (result.kind === 'picture') job?.resolve(result.bytes)
    else job?.reject(new PictureError('failed', 'The answer could not be drawn.', { cause: result.error }))
  }

  /** Ends the running job; the next one begins afterwards. */
  const finish = (): Job | null => {
    clearTimeout(timeoutTimer)
    const job = runningJob
    runningJob = null
    setImmediate(runNext)
    return job
  }

  const endThread = async (): Promise<void> => {
    const thread = worker
    worker = null
    await thread?.terminate()
  }

  const onTimeout = (): void => {
    // Native code cannot be stopped; its thread ends when it returns.
    void endThread()
    const seconds = timeoutMs / 1000
    finish()?.reject(new PictureError('timeout', `Drawing the picture took more than ${seconds} s. Ask for less data.`))
  }

  const runNext = (): void => {
    if (runningJob !== null || isClosed) return
    clearTimeout(idleTimer)
    runningJob = waitingJobs.shift() ?? null
    if (runningJob === null) {
      idleTimer = setTimeout(() => void endThread(), idleTimeoutMs).unref()
      return
    }
    timeoutTimer = setTimeout(onTimeout, timeoutMs)
    try {
      worker ??= startThread()
      worker.ref()
      worker.postMessage(runningJob.request)
    } catch (error) {
      void endThread()
      onThreadEnded(error)
    }
  }

  return {
    render: (request) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(stopping())
          return
        }
        if (waitingJobs.length >= MAX_WAITING) {
          reject(new PictureError('busy', `${MAX_WAITING} pictures wait already. Retry in a few seconds.`))
          return
        }
        waitingJobs.push({ request, resolve, reject })
        runNext()
      }),
    async close() {
      isClosed = true
      clearTimeout(idleTimer)
      clearTimeout(timeoutTimer)
      for (const job of [runningJob, ...waitingJobs.splice(0)]) job?.reject(stopping())
      runningJob = null
      await endThread()
    },
  }
}

interface Job {
  readonly request: PictureRequest
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: PictureError) => void
}

const stopping = (): PictureError => new PictureError('stopping', 'The service is stopping. Retry in a second.')
