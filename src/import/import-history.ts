import { setTimeout as sleep } from 'node:timers/promises'
import { checkDistinctFiles } from './check-distinct-files.ts'
import { checkImportOptions } from './check-options.ts'
import type { ImportTarget } from './check-options.ts'
import { createDeliver } from './deliver.ts'
import type { ImportOptions, ImportProgress, ImportSummary } from './import-options.ts'
import { openInput } from './input.ts'
import type { Input } from './input.ts'
import { keyFingerprint, NO_PREVIOUS_RUN, readJournal, writeJournal } from './journal.ts'
import type { ImportIdentity, ImportState } from './journal.ts'
import { lockJournal } from './journal-lock.ts'
import { createThroughput } from './throughput.ts'
import { createPost } from './post.ts'
import { createPrefixHash, resumeStream } from './prefix-hash.ts'
import type { PrefixHash } from './prefix-hash.ts'
import { readInput } from './read-input.ts'
import { openRejectsFile } from './rejects-file.ts'
import { createRetries, StoppedError } from './retries.ts'
import { INPUT_START } from './row.ts'
import { addRejects, totalRejects } from './reject-counts.ts'

/**
 * Imports the history of a project. Reads NDJSON or CSV of any size in constant memory, and sends its events in order, as a historical
 * migration. Rows that the service would not store are rejected, and the import continues. While the service is unreachable, it waits.
 *
 * Each event is stored once, however often it is sent: it keeps its `uuid`, or gets one derived from its row and the row's index. With a
 * `journal`, the next run continues where this one ended.
 *
 * @throws {ImportError} For errors of the import as a whole.
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
  const { state: previous, isOtherFinished } =
    journal === undefined
      ? NO_PREVIOUS_RUN
      : await readJournal(journal, { identity, format: options.format, restart: options.restart === true })
  const prefixHash = journal !== undefined && input.identity.kind === 'stream' ? createPrefixHash() : null

  let state = previous
  let bytesSent = 0
  let ignored: readonly string[] = []
  const isStopped = (): boolean => signal?.aborted === true
  const eventsPerSecond = (): number => throughput.eventsPerSecond((state?.sent ?? 0) - (previous?.sent ?? 0))
  const reportProgress = (wait: ImportProgress['wait']): void =>
    onProgress?.({
      ...throughput.progress(),
      sent: state?.sent ?? 0,
      rejected: totalRejects(state?.rejected ?? {}),
      eventsPerSecond: eventsPerSecond(),
      wait,
    })
  const deliver = createDeliver({
    key,
    post: createPost(host, options.fetch ?? fetch),
    retries: createRetries({
      maxRetries,
      sleep: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
      isStopped,
      onWait: reportProgress,
      now: Date.now,
      random: Math.random,
    }),
    now: Date.now,
  })

  const run = async (): Promise<void> => {
    const reading = await readInput(openChunks(input, previous, prefixHash), options, {
      position: previous?.done ?? INPUT_START,
      resumed: previous,
    })
    const rejectsFile =
      rejectsPath === undefined ? null : await openRejectsFile(rejectsPath, previous?.rejectsBytes ?? 0)
    const saveState = async (next: ImportState): Promise<void> => {
      if (journal !== undefined) await writeJournal(journal, identity, next)
      state = next
    }
    await saveState(previous ?? { ...INITIAL_STATE, format: reading.format, header: reading.header() })
    for await (const { events, rejects, end } of reading.batches) {
      if (isStopped()) return
      const { batches, bytes, rejects: refused } = await deliver(events)
      const allRejects = [...rejects, ...refused].sort((a, b) => a.row.line - b.row.line)
      bytesSent += bytes
      await saveState({
        done: end,
        prefix: prefixHash?.digestAt(end.offset) ?? null,
        format: reading.format,
        header: reading.header(),
        sent: state!.sent + events.length - refused.length,
        rejected: addRejects(state!.rejected, allRejects),
        batches: state!.batches + batches,
        rejectsBytes: (await rejectsFile?.append(allRejects)) ?? 0,
        isComplete: false,
      })
      ignored = reading.ignored()
      reportProgress(null)
    }
    // An abort also ends the loop above, before the end of the input.
    if (!isStopped()) await saveState({ ...state!, isComplete: true })
  }

  if (previous?.isComplete !== true) {
    await run().catch((error: unknown) => {
      if (!(error instanceof StoppedError)) throw error
    })
  }
  const { sent = 0, rejected = {}, batches = 0, isComplete = false } = state ?? {}
  return {
    sent,
    rejected: totalRejects(rejected),
    rejectedBy: rejected,
    batches,
    bytesRead: input.bytesRead(),
    bytesSent,
    durationMs: throughput.durationMs(),
    eventsPerSecond: eventsPerSecond(),
    ignored,
    isComplete,
    isResumed: previous !== null,
    isBegunAnew: isOtherFinished,
  }
}

const INITIAL_STATE = {
  done: INPUT_START,
  prefix: null,
  sent: 0,
  rejected: {},
  batches: 0,
  rejectsBytes: 0,
  isComplete: false,
} as const

/** Opens the decompressed bytes where the import continues. The hash of a stream must match the bytes before that position. */
const openChunks = (
  input: Input,
  previous: ImportState | null,
  prefixHash: PrefixHash | null,
): AsyncIterable<Uint8Array> => {
  const offset = previous?.done.offset ?? 0
  return prefixHash === null
    ? input.open(offset)
    : resumeStream(input.open(0), prefixHash, offset, previous?.prefix ?? null)
}
