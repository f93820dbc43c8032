import { setTimeout } from 'node:timers/promises'
import { ExportError } from './export-error.ts'
import type { ExportFiles } from './export-files.ts'
import { explainExportError, mayPass } from './explain-error.ts'
import type { Content } from './create-content.ts'
import {
  endExport,
  findWaitingExport,
  listContentIds,
  putBackExport,
  removeExpiredExports,
  resumeExports,
  startExport,
  sumContentBytes,
} from '../store/metadata/exports.ts'
import type { Export } from '../store/metadata/exports.ts'
import type { Metadata } from '../store/metadata/open.ts'

/** Makes the contents of exports, one job after the other, and removes those that have expired. */
export interface Exporter {
  /** Continues the jobs that an earlier process has left. */
  start(): Promise<void>
  /** Looks for jobs. Call it when one was created. */
  wake(): void
  /** Ends the job of an export that was removed, and removes its content. */
  remove(id: number): Promise<void>
  /** Interrupts the running jobs; the next process runs them again. */
  close(): Promise<void>
}

/** Dependencies and limits of the exporter. */
export interface ExporterParts {
  readonly metadata: Metadata
  readonly files: ExportFiles
  /** Makes a content; ends when the signal is aborted. */
  readonly createContent: (job: Export, signal: AbortSignal) => Promise<Content>
  /** Bytes of all contents together. */
  readonly maxBytes: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
  /** Milliseconds until a job that found the service busy is tried again. Default: 5 seconds. */
  readonly retryMs?: number
}

/** Jobs that run at once; one of each project. */
const MAX_RUNNING = 2

/** A job that was running each time when the service died is not started again: it may be the reason. */
const MAX_ATTEMPTS = 3

const RETRY_MS = 5000

/** How often a job that finds the service busy is tried again: for ten minutes. */
const MAX_RETRIES = 120

/** Interval at which expired exports are removed. */
const EXPIRY_MS = 60_000

export const createExporter = ({
  metadata,
  files,
  createContent,
  maxBytes,
  now,
  onError,
  retryMs = RETRY_MS,
}: ExporterParts): Exporter => {
  const running = new Map<number, RunningJob>()
  let isClosed = false
  let expiryTimer: NodeJS.Timeout | undefined
  /** Ends when the last look for jobs has. */
  let looking = Promise.resolve()

  const write = async (job: Export, signal: AbortSignal): Promise<number> => {
    for (let retries = 0; ; retries++) {
      try {
        const freeBytes = maxBytes - (await sumContentBytes(metadata))
        return await files.write(job.id, await createContent(job, signal), { maxBytes: freeBytes, signal })
      } catch (error) {
        if (signal.aborted || !mayPass(error) || retries === MAX_RETRIES) throw error
        await waitFor(retryMs, signal)
      }
    }
  }

  const run = async (job: Export, signal: AbortSignal): Promise<void> => {
    try {
      if (job.attempts >= MAX_ATTEMPTS)
        throw new ExportError(`The service ended ${MAX_ATTEMPTS} times while it made this export.`)
      await startExport(metadata, job)
      const contentBytes = await write(job, signal)
      // A job that was removed meanwhile has no row, and leaves no content.
      if (!(await endExport(metadata, job.id, { contentBytes }))) await files.remove(job.id)
    } catch (error) {
      if (isClosed) {
        await putBackExport(metadata, job)
        return
      }
      if (signal.aborted) return
      const reason = explainExportError(error)
      if (reason === null) onError(error)
      await endExport(metadata, job.id, { error: reason ?? 'The service failed unexpectedly; its log has the cause.' })
    }
  }

  const startWaiting = async (): Promise<void> => {
    while (running.size < MAX_RUNNING) {
      const job = await findWaitingExport(
        metadata,
        [...running.values()].map(({ projectId }) => projectId),
      )
      if (job === undefined || isClosed) return
      const canceller = new AbortController()
      const ended = run(job, canceller.signal)
        .catch(onError)
        .finally(() => {
          running.delete(job.id)
          wake()
        })
      running.set(job.id, { projectId: job.projectId, canceller, ended })
    }
  }

  /** One look after the other: two at once would start the same job. */
  const wake = (): void => {
    looking = looking.then(startWaiting).catch(onError)
  }

  const removeExpired = async (): Promise<void> => {
    await removeExpiredExports(metadata, now())
    await removeUnknown()
  }

  /** Removes the contents whose exports are gone. A running job writes to a file that has no row of a content yet. */
  const removeUnknown = async (): Promise<void> => {
    await files.keepOnly(new Set([...(await listContentIds(metadata)), ...running.keys()]))
  }

  return {
    async start() {
      await resumeExports(metadata)
      await removeExpired()
      expiryTimer = setInterval(() => void removeExpired().catch(onError), EXPIRY_MS).unref()
      wake()
    },
    wake,
    async remove(id) {
      const job = running.get(id)
      job?.canceller.abort()
      await job?.ended
      await files.remove(id)
    },
    async close() {
      isClosed = true
      clearInterval(expiryTimer)
      await looking
      for (const { canceller } of running.values()) canceller.abort()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

interface RunningJob {
  readonly projectId: number
  readonly canceller: AbortController
  /** Resolves when the job has ended, however. */
  readonly ended: Promise<void>
}

/** Rejects when the signal is aborted. */
const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal })
