import { setTimeout as sleep } from 'node:timers/promises'
import type { EventsSource } from '../../store/events/events-source.ts'
import type { IndexerSettings } from '../protocol.ts'
import { CopyDiffersError } from './move-options.ts'
import type { CompleteCopies, MoveOptions } from './move-options.ts'

/** What a move needs. */
export interface MoveEventsOptions extends Pick<MoveOptions, 'metadata' | 'signal' | 'onWarning'> {
  readonly settings: Pick<IndexerSettings, 'events' | 'nodeId' | 'memoryMb'>
  /** Where the events are. */
  readonly source: EventsSource
  /** Receives a sentence about how far the move is. */
  readonly onNotice: (notice: string) => void
  /** Receives why the events cannot be moved now; null when they can again. */
  readonly onFailure: (reason: string | null) => void
}

/** Delay before a failed move goes on; doubles up to the maximum. */
const RETRY_MS = 250
const MAX_RETRY_MS = 10_000

/** Interval of the sentences in the log. */
const LOG_MS = 60_000

/**
 * Copies all events to another store, however long one of the stores is away. A copy that differs is made anew once.
 *
 * @returns null when the signal has ended it, or the second copy differs, too.
 */
export const moveEvents = async (options: MoveEventsOptions): Promise<CompleteCopies | null> => {
  const { signal, onNotice, onWarning, onFailure } = options
  const place = typeof options.settings.events === 'string' ? 'the files of the data folder' : 'ClickHouse'
  let loggedAt = -Infinity
  const report = (notice: string): void => {
    const sentence = `The events are being moved to ${place}, and new ones wait in the inbox. ${notice}.`
    onFailure(null)
    onNotice(sentence)
    if (performance.now() - loggedAt < LOG_MS) return
    loggedAt = performance.now()
    onWarning(sentence)
  }
  let delayMs = RETRY_MS
  let hasDiffered = false
  while (!signal.aborted) {
    try {
      report('It begins, or goes on where it was')
      return await runMove(options, report)
    } catch (error) {
      if (signal.aborted) return null
      const isFinal = error instanceof CopyDiffersError && hasDiffered
      hasDiffered ||= error instanceof CopyDiffersError
      onFailure(describeFailure(error, isFinal))
      if (isFinal) return null
      await sleep(delayMs, undefined, { signal }).catch(() => undefined)
      delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)
    }
  }
  return null
}

const runMove = async (
  { settings, source, metadata, signal, onWarning }: MoveEventsOptions,
  onNotice: (notice: string) => void,
): Promise<CompleteCopies> => {
  const { events: target, nodeId, memoryMb } = settings
  const options = { metadata, nodeId, memoryMb, signal, onNotice, onWarning }
  // Loaded here, because both engines are needed for nothing else.
  if (typeof source === 'string' && typeof target !== 'string') {
    const { moveToClickHouse } = await import('./move-to-clickhouse.ts')
    return moveToClickHouse({ ...options, folder: source, server: target })
  }
  if (typeof source !== 'string' && typeof target === 'string') {
    const { moveToFiles } = await import('./move-to-files.ts')
    return moveToFiles({ ...options, folder: target, server: source })
  }
  throw new Error('The events can be moved only between a folder and a server.')
}

const describeFailure = (error: unknown, isFinal: boolean): string => {
  const message = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')
  return isFinal
    ? `The events cannot be moved: ${message}. They stay where they are: stop the service and start it as before. New events wait in the inbox.`
    : `The events cannot be moved now: ${message}. New events wait in the inbox, and the move goes on by itself.`
}
