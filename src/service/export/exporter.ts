import { setTimeout } from 'node:timers/promises'
import {
  endExport,
  findWaitingExport,
  putBackExport,
  removeExpiredExports,
  startExport,
  sumContentBytes,
} from '../store/metadata/exports.ts'
import type { Export } from '../store/metadata/exports.ts'
import type { NodeMetadata } from '../store/metadata/node-id.ts'
import { listProjects } from '../store/metadata/projects.ts'
import { recoverExports, removeUnknown } from './clean-exports.ts'
import { createContentSpace, maxBytesOfProject } from './content-space.ts'
import type { Content } from './export-format.ts'
import { explainExportError } from './explain-error.ts'
import { ExportError } from './export-error.ts'
import type { ExportFiles } from './export-files.ts'

/** Makes the contents of the exports of a node in jobs, and removes those that have expired. */
export interface Exporter {
  /** Starts to work, with the jobs that an earlier process has left. */
  start(): Promise<void>
  /** Starts a new job, if there is one and a slot is free. */
  wake(): void
  /** Ends the job of an export that was removed, and removes its content. */
  remove(id: number): Promise<void>
  /** Interrupts the running jobs; the next process runs them again. */
  close(): Promise<void>
}

/** Dependencies and limits of the exporter. */
export interface ExporterParts extends NodeMetadata {
  readonly files: ExportFiles
  /** Starts to make a content; ends when the signal is aborted. */
  readonly createContent: (job: Export, signal: AbortSignal) => Promise<Content>
  /** Bytes of all contents together. */
  readonly maxBytes: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
  /** Milliseconds until metadata are written again that could not be. Default: 5 seconds. */
  readonly retryMs?: number
}

/** Jobs that run at once; one of each project. */
const MAX_RUNNING = 4

/** A job that was running each time when the service died is not started again: it may be the reason. */
const MAX_ATTEMPTS = 3

const RETRY_MS = 5000

/** Interval at which expired exports are removed. */
const CLEANING_MS = 60_000

export const createExporter = ({
  metadata,
  nodeId,
  files,
  createContent,
  maxBytes,
  now,
  onError,
  retryMs = RETRY_MS,
}: ExporterParts): Exporter => {
  const node: NodeMetadata = { metadata, nodeId }
  const running = new Map<number, RunningJob>()
  const closing = new AbortController()
  const isClosed = (): boolean => closing.signal.aborted
  let hasResumed = false
  let cleaningTimer: NodeJS.Timeout | undefined
  const space = createContentSpace(maxBytes)
  /** Resolves when the last search for a job, or the last cleaning, has ended. */
  let lastTask = Promise.resolve()

  /** Writes metadata, again and again on a full disk: without a pause the search would find the same job at once. */
  const persist = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (isClosed()) throw error
        onError(error)
        await setTimeout(retryMs, undefined, { signal: closing.signal })
      }
    }
  }

  const makeContent = async (item: Export, signal: AbortSignal): Promise<void> => {
    const hasStarted = await persist(() => startExport(node, item))
    if (!hasStarted) return
    space.setComplete(await sumContentBytes(node))
    const content = await createContent(item, signal)
    const { length: projectCount } = await listProjects(metadata)
    const ownSpace = space.open({
      usedBytes: await sumContentBytes(node, item.projectId),
      maxBytes: maxBytesOfProject(maxBytes, projectCount),
    })
    try {
      await files.write(item.id, content, { signal, onBytes: ownSpace.add })
      const isKept = await persist(() => endExport(metadata, item.id, { contentBytes: ownSpace.bytes() }))
      ownSpace.complete()
      if (!isKept) await files.remove(item.id)
    } finally {
      ownSpace.close()
    }
  }

  const run = async (item: Export, job: RunningJob): Promise<void> => {
    try {
      if (item.attempts >= MAX_ATTEMPTS)
        throw new ExportError(`The service ended ${MAX_ATTEMPTS} times while it made this export.`)
      await makeContent(item, job.canceller.signal)
    } catch (error) {
      if (isClosed()) {
        await putBackExport(metadata, item)
        return
      }
      if (job.canceller.signal.aborted) return
      const reason = explainExportError(error)
      if (reason === null) onError(error)
      const text = reason ?? 'The service failed unexpectedly; its log has the cause.'
      await persist(() => endExport(metadata, item.id, { error: text }))
    }
  }

  const startWaiting = async (): Promise<void> => {
    if (!hasResumed) return
    while (!isClosed() && running.size < MAX_RUNNING) {
      const item = await findWaitingExport(
        node,
        [...running.values()].map(({ projectId }) => projectId),
      )
      if (item === undefined) return
      const job = { projectId: item.projectId, canceller: new AbortController(), ended: Promise.resolve() }
      running.set(item.id, job)
      job.ended = run(item, job)
        .catch(onError)
        .finally(() => {
          running.delete(item.id)
          wake()
        })
    }
  }

  /** One task after the other: two searches at once would find the same job. */
  const addTask = (task: () => Promise<void>): Promise<void> => {
    lastTask = lastTask.then(() => (isClosed() ? undefined : task())).catch(onError)
    return lastTask
  }

  const wake = (): void => {
    void addTask(startWaiting)
  }

  const clean = async (): Promise<void> => {
    if (!hasResumed) {
      await recoverExports(node, files)
      hasResumed = true
    }
    await removeExpiredExports(metadata, now())
    await removeUnknown(metadata, files, running)
    await startWaiting()
  }

  return {
    async start() {
      cleaningTimer = setInterval(() => void addTask(clean), CLEANING_MS).unref()
      await addTask(clean)
    },
    wake,
    async remove(id) {
      const job = running.get(id)
      job?.canceller.abort()
      await job?.ended
      await files.remove(id)
    },
    async close() {
      clearInterval(cleaningTimer)
      closing.abort()
      await lastTask
      for (const { canceller } of running.values()) canceller.abort()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

interface RunningJob {
  readonly projectId: number
  readonly canceller: AbortController
  /** Resolves when the job has ended, however. */
  ended: Promise<void>
}
