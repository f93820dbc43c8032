import { setTimeout as sleep } from 'node:timers/promises'
import { checkApart } from './check-apart.ts'
import { checkedTarget } from './check-options.ts'
import type { Target } from './check-options.ts'
import { createDeliver } from './deliver.ts'
import type { ImportOptions, ImportProgress, ImportSummary } from './import-options.ts'
import { openInput } from './input.ts'
import type { Input } from './input.ts'
import { keyFingerprint, NOTHING_EARLIER, readJournal, writeJournal } from './journal.ts'
import type { ImportIdentity, ImportState } from './journal.ts'
import { lockJournal } from './journal-lock.ts'
import { createPace } from './pace.ts'
import { createPost } from './post.ts'
import { continued, createPrefixHash } from './prefix-hash.ts'
import type { PrefixHash } from './prefix-hash.ts'
import { readInput } from './read-input.ts'
import { openRejectsFile } from './rejects-file.ts'
import { createRetries, Stopped } from './retries.ts'
import { START } from './row.ts'
import { counted, total } from './tally.ts'

/**
 * Imports the history of a project: reads NDJSON or CSV, of any size in the same memory, and sends its events in their order, as a historical
 * migration. Rows that the service would not store are told apart, and the import goes on. While the service cannot be reached it waits.
 *
 * Each event is stored once, however often it is sent: it keeps its `uuid`, or gets one that follows from its row and place. With
 * `journal`, an import that was ended goes on where it was.
 *
 * Rejects with `ImportError` for what concerns the whole input.
 */
export const importHistory = async (options: ImportOptions): Promise<ImportSummary> => {
  const { source, journal, rejects } = options
  const to = checkedTarget(options)
  const input = await openInput(source)
  await checkApart({
    'the input': typeof source === 'string' ? source : undefined,
    'the journal': journal,
    'the file of rejects': rejects,
  })
  const release = journal === undefined ? null : await lockJournal(journal)
  try {
    return await importInput(input, to, options)
  } finally {
    await release?.()
  }
}

const importInput = async (input: Input, { host, key }: Target, options: ImportOptions): Promise<ImportSummary> => {
  const { journal, rejects: rejectsPath, signal, onProgress, maxRetries = Number.POSITIVE_INFINITY } = options
  const pace = createPace(input, () => performance.now())
  const identity: ImportIdentity = {
    input: input.identity,
    host,
    key: keyFingerprint(key),
    textColumns: options.textColumns ?? [],
  }
  const { state: earlier, isOfFinished } =
    journal === undefined
      ? NOTHING_EARLIER
      : await readJournal(journal, { identity, format: options.format, restart: options.restart === true })
  const prefix = journal !== undefined && input.identity.kind === 'stream' ? createPrefixHash() : null

  let state = earlier
  let bytesSent = 0
  let ignored: readonly string[] = []
  const isStopped = (): boolean => signal?.aborted === true
  const eventsPerSecond = (): number => pace.perSecond((state?.sent ?? 0) - (earlier?.sent ?? 0))
  const tell = (wait: ImportProgress['wait']): void =>
    onProgress?.({
      ...pace.progress(),
      sent: state?.sent ?? 0,
      rejected: total(state?.rejected ?? {}),
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
      onWait: tell,
      now: Date.now,
      random: Math.random,
    }),
    now: Date.now,
  })

  const run = async (): Promise<void> => {
    const reading = await readInput(chunksFrom(input, earlier, prefix), options, {
      place: earlier?.done ?? START,
      known: earlier,
    })
    const rejectsFile =
      rejectsPath === undefined ? null : await openRejectsFile(rejectsPath, earlier?.rejectsBytes ?? 0)
    const save = async (next: ImportState): Promise<void> => {
      if (journal !== undefined) await writeJournal(journal, identity, next)
      state = next
    }
    await save(earlier ?? { ...NOTHING_DONE, format: reading.format, header: reading.header() })
    for await (const { events, rejects, end } of reading.windows) {
      if (isStopped()) return
      const { batches, bytes, rejects: refused } = await deliver(events)
      const bad = [...rejects, ...refused].sort((one, other) => one.row.line - other.row.line)
      bytesSent += bytes
      await save({
        done: end,
        prefix: prefix?.at(end.offset) ?? null,
        format: reading.format,
        header: reading.header(),
        sent: state!.sent + events.length - refused.length,
        rejected: counted(state!.rejected, bad),
        batches: state!.batches + batches,
        rejectsBytes: (await rejectsFile?.append(bad)) ?? 0,
        isComplete: false,
      })
      ignored = reading.ignored()
      tell(null)
    }
    // A stop ends the windows, too.
    if (!isStopped()) await save({ ...state!, isComplete: true })
  }

  if (earlier?.isComplete !== true) {
    await run().catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error
    })
  }
  const { sent = 0, rejected = {}, batches = 0, isComplete = false } = state ?? {}
  return {
    sent,
    rejected: total(rejected),
    rejectedBy: rejected,
    batches,
    bytesRead: input.bytesRead(),
    bytesSent,
    durationMs: pace.durationMs(),
    eventsPerSecond: eventsPerSecond(),
    ignored,
    isComplete,
    isResumed: earlier !== null,
    isBegunAnew: isOfFinished,
  }
}

const NOTHING_DONE = {
  done: START,
  prefix: null,
  sent: 0,
  rejected: {},
  batches: 0,
  rejectsBytes: 0,
  isComplete: false,
} as const

/** The unpacked bytes from where the import goes on. Of a stream they are held to be the same as before. */
const chunksFrom = (
  input: Input,
  earlier: ImportState | null,
  prefix: PrefixHash | null,
): AsyncIterable<Uint8Array> => {
  const offset = earlier?.done.offset ?? 0
  return prefix === null ? input.open(offset) : continued(input.open(0), prefix, offset, earlier?.prefix ?? null)
}
