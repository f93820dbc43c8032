import { setTimeout as sleep } from 'node:timers/promises'
import { noop } from '../lib/noop.ts'
import { checkDistinctFiles } from './check-distinct-files.ts'
import { checkImportOptions } from './check-options.ts'
import type { ImportTarget } from './check-options.ts'
import { createBatchSender } from './batch-sender.ts'
import type { ImportOptions, ImportProgress, ImportSummary } from './import-options.ts'
import { openInput } from './input.ts'
import type { Input } from './input.ts'
import { EMPTY_JOURNAL, keyFingerprint, readJournal, writeJournal } from './journal.ts'
import type { ImportIdentity, ImportState } from './journal.ts'
import { lockJournal } from './journal-lock.ts'
import { openInputReader } from './open-input-reader.ts'
import { createThroughput } from './throughput.ts'
import { createPostFunction } from './post.ts'
import { createPrefixHash, resumeStream } from './prefix-hash.ts'
import type { PrefixHash } from './prefix-hash.ts'
import { openRejectsFile } from './rejects-file.ts'
import { createRetries, StoppedError } from './retries.ts'
import { INPUT_START } from './row.ts'
import { addRejects, totalRejects } from './reject-counts.ts'

/**
 * Imports the history of a project. Reads NDJSON or CSV of any size in constant memory, and sends its events in order, as a historical
 * migration. Rows that the service would not store are rejected, and the import continues. While the service is unreachable, the import
 * retries, up to `maxRetries` times in a row (default: without limit).
 *
 * Each event is stored once, however often it is sent: it keeps its `uuid`, or gets one derived from its row and the row's index. With a
 * `journal`, the next run continues where this one ended.
 *
 * @throws {ImportError} If the import as a whole fails; rejected rows do not throw.
 */
export const importHistory = async (options: ImportOptions): Promise<ImportSummary> => {
  const { source, journal, rejects } = options
  const target = checkImportOptions(options)
  const input = await openInput(source)
  await checkDistinctFiles({
    'the input': typeof source === 'string' ? source : undefined,
    'the journal': journal,
    'the rejects file': rejects,
  })
  const releaseLock = journal === undefined ? null : await lockJournal(journal)
  try {
    return await importInput(input, target, options)
  } finally {
    await releaseLock?.()
  }
}

/** Imports an input after all checks. The caller holds the lock of the journal. */
const importInput = async (
  input: Input,
  { host, key }: ImportTarget,
  options: ImportOptions,
): Promise<ImportSummary> => {
  const { journal, rejects: rejectsPath, signal, onProgress, maxRetries = Number.POSITIVE_INFINITY } = options
  const throughput = createThroughput(input, () => performance.now())
  const identity: ImportIdentity = {
    input: input.identity,
    host,
    key: keyFingerprint(key),
    textColumns: options.textColumns ?? [],
  }
  const { resumableState, replacesFinishedImport } =
    journal === undefined
      ? EMPTY_JOURNAL
      : await readJournal(journal, { identity, format: options.format, restart: options.restart === true })
  const prefixHash = journal !== undefined && input.identity.kind === 'stream' ? createPrefixHash() : null

  let state = resumableState
  let bytesSent = 0
  let ignoredFields: readonly string[] = []
  const isStopped = (): boolean => signal?.aborted === true
  const eventsPerSecond = (): number => throughput.eventsPerSecond((state?.sent ?? 0) - (resumableState?.sent ?? 0))
  const reportProgress = (wait: ImportProgress['wait']): void =>
    onProgress?.({
      ...throughput.progress(),
      sent: state?.sent ?? 0,
      rejected: totalRejects(state?.rejectCounts ?? {}),
      eventsPerSecond: eventsPerSecond(),
      wait,
    })
  const sendBatch = createBatchSender({
    key,
    post: createPostFunction(host, options.fetch ?? fetch),
    retries: createRetries({
      maxRetries,
      sleep: (ms) => sleep(ms, undefined, { signal }).catch(noop),
      isStopped,
      onWait: reportProgress,
      now: Date.now,
      random: Math.random,
    }),
    now: Date.now,
  })

  /** Delivers the batches that are left, and saves the state after each one. Returns early if the import is stopped between batches. */
  const deliverRemainingBatches = async (): Promise<void> => {
    const reader = await openInputReader(openRemainingChunks(input, resumableState, prefixHash), options, {
      position: resumableState?.position ?? INPUT_START,
      earlierRun: resumableState,
    })
    const rejectsFile =
      rejectsPath === undefined ? null : await openRejectsFile(rejectsPath, resumableState?.rejectsBytes ?? 0)
    const saveState = async (newState: ImportState): Promise<ImportState> => {
      if (journal !== undefined) await writeJournal(journal, identity, newState)
      return (state = newState)
    }
    let savedState = await saveState(
      resumableState ?? { ...INITIAL_STATE, format: reader.format, header: reader.header() },
    )
    for await (const batch of reader.batches) {
      if (isStopped()) return
      const delivery = await sendBatch(batch.events)
      const rejects = [...batch.rejects, ...delivery.rejects].sort((a, b) => a.row.line - b.row.line)
      bytesSent += delivery.bytesSent
      savedState = await saveState({
        position: batch.end,
        prefixDigest: prefixHash?.digestAt(batch.end.offset) ?? null,
        format: reader.format,
        header: reader.header(),
        sent: savedState.sent + batch.events.length - delivery.rejects.length,
        rejectCounts: addRejects(savedState.rejectCounts, rejects),
        requestCount: savedState.requestCount + delivery.requestCount,
        rejectsBytes: (await rejectsFile?.append(rejects)) ?? 0,
        isComplete: false,
      })
      ignoredFields = reader.ignoredFields()
      reportProgress(null)
    }
    // When the signal aborts, `reader.batches` ends before the end of the input.
    if (!isStopped()) await saveState({ ...savedState, isComplete: true })
  }

  if (resumableState?.isComplete !== true) {
    await deliverRemainingBatches().catch((error: unknown) => {
      // The user has stopped the import during a wait: the summary reports it as incomplete.
      if (!(error instanceof StoppedError)) throw error
    })
  }
  const { sent = 0, rejectCounts = {}, requestCount = 0, isComplete = false } = state ?? {}
  return {
    sent,
    rejected: totalRejects(rejectCounts),
    rejectedBy: rejectCounts,
    batches: requestCount,
    bytesRead: input.bytesRead(),
    bytesSent,
    durationMs: throughput.durationMs(),
    eventsPerSecond: eventsPerSecond(),
    ignored: ignoredFields,
    isComplete,
    isResumed: resumableState !== null,
    isBegunAnew: replacesFinishedImport,
  }
}

const INITIAL_STATE = {
  position: INPUT_START,
  prefixDigest: null,
  sent: 0,
  rejectCounts: {},
  requestCount: 0,
  rejectsBytes: 0,
  isComplete: false,
} as const

/**
 * Opens the input, decompressed, at the position of the resumed state or at its start. Bytes of a stream before that position are read and
 * must have the recorded digest, because a stream cannot be recognised in another way.
 */
const openRemainingChunks = (
  input: Input,
  resumableState: ImportState | null,
  prefixHash: PrefixHash | null,
): AsyncIterable<Uint8Array> => {
  const offset = resumableState?.position.offset ?? 0
  return prefixHash === null
    ? input.open(offset)
    : resumeStream(input.open(0), prefixHash, offset, resumableState?.prefixDigest ?? null)
}
