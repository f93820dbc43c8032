import type { RowChange } from '../persons/change.ts'
import { isPlainChange } from '../persons/change.ts'
import type { PersonUpdater } from '../persons/person-updater.ts'
import type { EventBatch, EventIdentity, EventStore, RejectedRow, StoredEvent } from '../store/events/event-store.ts'
import { FailedCommitError, NO_PERSON_UPDATE, UnstorableError } from '../store/events/event-store.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import { coversEvent } from '../store/row-position.ts'
import { commitPersonsInParts } from './commit-persons-in-parts.ts'
import type { Decompress } from './decompression/decompress-ahead.ts'
import { decompressAhead } from './decompression/decompress-ahead.ts'
import type { Chunk } from './read-chunks.ts'
import { readChunks, splitChunk } from './read-chunks.ts'
import { createRejectedRow } from './read-row.ts'
import type { RowOptions } from './read-row.ts'
import { findInHalves } from './find-in-halves.ts'
import type { ReadMore, RowStream } from './row-stream.ts'
import { createRowStream } from './row-stream.ts'

/** Memory failures of a row that is indexed alone, before it is rejected. Other work may have used the memory at first. */
const MAX_MEMORY_FAILURES = 3

/**
 * Failed commits that begin with the same row, before it is rejected. All but the first two are of the row alone. The store is opened again
 * after each, with pauses of up to ten seconds, so that other work has ended by then.
 */
const MAX_FAILED_COMMITS = 12

/**
 * Default of `IndexContext.eventsPerCommit`: two row groups of the store. What waits for a commit is in memory. DuckDB writes the groups of a
 * commit once if it fills one; the rows of smaller commits go through its write-ahead log first.
 */
const EVENTS_PER_COMMIT = 61_440

/** Default of `IndexContext.chunksPerCommit`: about 256 MB of events. */
const CHUNKS_PER_COMMIT = 128

/**
 * Chunks that are parsed, and whose duplicates are sought, while the store writes the ones before. The store's thread is mostly writing, so
 * its answer takes a few turns of its event loop.
 */
const CHUNKS_AHEAD = 2

/** Rejected items that a reason lists. */
const MAX_LISTED = 20

/** What indexing needs; the same object is used for every call. */
export interface IndexContext {
  readonly personUpdater: PersonUpdater
  readonly store: EventStore
  readonly projectId: number
  readonly rowOptions: RowOptions
  /** Inbox row id to the number of times that the row alone needed too much memory. */
  readonly memoryFailures: Map<number, number>
  /** Inbox row id to the number of failed commits (`FailedCommitError`) that began with the row. */
  readonly failedCommits: Map<number, number>
  /** Called for each rejected row after it is committed. */
  readonly onRejected: (row: RejectedRow) => void
  /** Aborted when the process stops: the chunks so far are then committed, and the call rejects. Default: never. */
  readonly signal?: AbortSignal
  /** Decompresses bodies elsewhere, while this thread parses others. Default: each where it is read. */
  readonly decompress?: Decompress
  /** Maximum number of chunks (`readChunks`) of one commit. Default 128. */
  readonly chunksPerCommit?: number
  /**
   * Maximum number of events of one commit, unless its only chunk has more. Default 61,440. The last row group of a commit stays as it is:
   * DuckDB would merge small ones with others later, which rewrites the whole table.
   */
  readonly eventsPerCommit?: number
  /** Called while the last rows so far are indexed. Default: no rows follow. */
  readonly readMore?: ReadMore
}

/**
 * Stores inbox rows of one project, and those that `readMore` adds: parses their events, drops duplicates, applies person and group changes,
 * commits.
 *
 * The call is idempotent: it skips the events that the store's position covers, so a failed call can be repeated with the same
 * rows. If events of a row cannot be parsed or stored, the row is kept as a rejected row with the reason; its other events
 * are stored. Rows are processed in chunks, so memory does not grow with their size.
 */
export const indexRows = async (context: IndexContext, rows: readonly InboxRow[]): Promise<void> => {
  const { store, failedCommits, readMore } = context
  const stream = createRowStream(rows, () => store.position(), readMore)
  try {
    await indexStream(context, stream)
  } catch (error) {
    const [row] = stream.unstored()
    if (error instanceof FailedCommitError && row !== undefined) countFailure(failedCommits, row)
    throw error
  }
}

/** Adds a failure of a row, and returns their number. */
const countFailure = (failures: Map<number, number>, { id }: InboxRow): number => {
  const count = (failures.get(id) ?? 0) + 1
  failures.set(id, count)
  return count
}

const indexStream = async (context: IndexContext, stream: RowStream): Promise<void> => {
  const { store, failedCommits } = context
  const [firstRow] = stream.unstored()
  const failures = firstRow === undefined ? 0 : (failedCommits.get(firstRow.id) ?? 0)
  if (failures > 0) return indexInSmallCommits(context, stream.unstored(), failures === 1 ? 'chunk' : 'row')
  try {
    await indexInLargeCommits(context, stream.readAll())
  } catch (error) {
    await store.discard().catch(() => undefined)
    if (!(error instanceof UnstorableError)) throw error
    await indexInSmallCommits(context, stream.unstored(), 'chunk')
  }
}

const toChunks = ({ store, rowOptions, decompress }: IndexContext, rows: Iterable<InboxRow>): AsyncGenerator<Chunk> =>
  readChunks(decompressAhead(rows, decompress), store.position(), rowOptions)

/** Gives each chunk, or each row of it, a commit of its own, so that the rows at fault can be found. */
const indexInSmallCommits = async (
  context: IndexContext,
  rows: readonly InboxRow[],
  size: 'chunk' | 'row',
): Promise<void> => {
  for await (const chunk of toChunks(context, rows))
    for (const part of size === 'chunk' ? [chunk] : chunk.map((rowEvents) => [rowEvents]))
      await indexChunk(context, part)
}

/** Commits many chunks together: a commit costs DuckDB almost as much for 100 events as for 10,000. */
const indexInLargeCommits = async (context: IndexContext, rows: Iterable<InboxRow>): Promise<void> => {
  const { personUpdater, projectId, store, onRejected, signal } = context
  const { chunksPerCommit = CHUNKS_PER_COMMIT, eventsPerCommit = EVENTS_PER_COMMIT } = context
  let rejected: RejectedRow[] = []
  let chunkCount = 0
  let eventCount = 0
  let lastCommit: Promise<void> = Promise.resolve()
  const commit = async (): Promise<void> => {
    const committed = rejected
    rejected = []
    chunkCount = 0
    eventCount = 0
    await store.commit()
    for (const row of committed) onRejected(row)
  }
  const commitMeanwhile = async (): Promise<void> => {
    await lastCommit
    await personUpdater.save(projectId)
    lastCommit = commit()
    // Handled where it is awaited.
    lastCommit.catch(() => undefined)
  }
  const add = async (chunk: CheckedChunk): Promise<void> => {
    if (eventCount > 0 && eventCount + countEvents(chunk.chunk) > eventsPerCommit) await commitMeanwhile()
    for await (const { batch } of prepareBatches(context, chunk)) {
      await store.add(batch)
      rejected.push(...batch.rejected)
      eventCount += batch.events.length
    }
    chunkCount += 1
    if (chunkCount >= chunksPerCommit || eventCount >= eventsPerCommit) await commitMeanwhile()
  }
  const ahead: CheckedChunk[] = []
  for await (const chunk of toChunks(context, rows)) {
    ahead.push(checkChunk(context, chunk))
    if (ahead.length > CHUNKS_AHEAD) await add(ahead.shift()!)
    if (signal?.aborted) break
  }
  for (const chunk of ahead) if (!signal?.aborted) await add(chunk)
  await lastCommit
  await personUpdater.save(projectId)
  if (chunkCount > 0) await commit()
  signal?.throwIfAborted()
}

const countEvents = (chunk: Chunk): number => chunk.reduce((count, { events }) => count + events.length, 0)

/** A chunk and those of its events that are duplicates. */
interface CheckedChunk {
  readonly chunk: Chunk
  readonly duplicates: Promise<ReadonlySet<EventIdentity>>
}

const checkChunk = ({ store }: IndexContext, chunk: Chunk): CheckedChunk => {
  // An event without its own uuid cannot be a duplicate: the position covers its row.
  const eventsWithOwnUuid: StoredEvent[] = []
  for (const { events } of chunk)
    for (const { hasOwnUuid, event } of events) if (hasOwnUuid) eventsWithOwnUuid.push(event)
  const duplicates = store.findDuplicates(eventsWithOwnUuid)
  // Handled where it is awaited.
  duplicates.catch(() => undefined)
  return { chunk, duplicates }
}

const indexChunk = async (context: IndexContext, chunk: Chunk): Promise<void> => {
  for await (const { part, batch } of prepareBatches(context, checkChunk(context, chunk))) {
    await context.personUpdater.save(context.projectId)
    await commitChunk(context, part, batch)
  }
}

/** Drops the duplicates of a chunk and applies its changes; one batch, or several if the persons exceed the size limit. */
const prepareBatches = async function* (
  { personUpdater, projectId }: IndexContext,
  { chunk, duplicates: foundDuplicates }: CheckedChunk,
): AsyncGenerator<{ readonly part: Chunk; readonly batch: EventBatch }> {
  const duplicates = await foundDuplicates
  let remaining: Chunk | null = duplicates.size === 0 ? chunk : withoutEvents(chunk, duplicates)
  let changes = changesIn(remaining)
  while (remaining !== null) {
    const { persons, position } = await personUpdater.apply(projectId, changes, remaining.at(-1)!.end)
    const [part, rest]: readonly [Chunk, Chunk | null] = splitChunk(remaining, position)
    const events: StoredEvent[] = []
    for (const row of part) for (const { event } of row.events) events.push(event)
    const rejected = part.flatMap((row) => row.rejected)
    yield { part, batch: { position, events, persons, rejected } }
    if (rest !== null) changes = changes.filter((change) => !coversEvent(position, change))
    remaining = rest
  }
}

const withoutEvents = (chunk: Chunk, dropped: ReadonlySet<EventIdentity>): Chunk =>
  chunk.map((row) => ({ ...row, events: row.events.filter(({ event }) => !dropped.has(event)) }))

const commitChunk = async (context: IndexContext, chunk: Chunk, batch: EventBatch): Promise<void> => {
  const { memoryFailures, failedCommits } = context
  const { row } = chunk.at(-1)!
  const isAlone = chunk.length === 1
  const mustReject = isAlone && batch.events.length > 0 && (failedCommits.get(row.id) ?? 0) >= MAX_FAILED_COMMITS
  try {
    if (mustReject) await commitWithoutEvents(context, batch, row)
    else await commit(context, batch)
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    // Either one row is at fault or all rows together are too large. Applying the persons again changes nothing.
    if (!isAlone) {
      for (const rowEvents of chunk) await indexChunk(context, [rowEvents])
      return
    }
    if (error.reason === 'memory' && countFailure(memoryFailures, row) < MAX_MEMORY_FAILURES) throw error
    await commitStorable(context, batch, row, error)
  }
  for (const { row: committed } of chunk) {
    memoryFailures.delete(committed.id)
    failedCommits.delete(committed.id)
  }
}

/** Commits what the store can store of a row's batch, and rejects the other events and persons. */
const commitStorable = async (
  context: IndexContext,
  batch: EventBatch,
  row: InboxRow,
  error: UnstorableError,
): Promise<void> => {
  const unstorable = new Set(await findInHalves(batch.events, (events) => context.store.canStore(events)))
  const events = batch.events.filter((event) => !unstorable.has(event))
  const indexes = [...unstorable].slice(0, MAX_LISTED).map(({ index }) => index)
  const reasons =
    unstorable.size === 0
      ? []
      : [`${unstorable.size} events cannot be stored (places ${indexes.join(', ')}): ${error.message}`]
  const listRejected = (): RejectedRow[] =>
    reasons.length === 0 ? [...batch.rejected] : [...batch.rejected, createRejectedRow(row, reasons.join('. '))]
  if (unstorable.size > 0 && (await tryCommit(context, { ...batch, events, rejected: listRejected() })) === null) return
  // The updater reports a merge only once, so the store must get it now.
  const unstored = await commitPersonsInParts(context.store, batch.persons)
  if (unstored.length > 0) reasons.push(`${listUnstored(unstored)}: ${error.message}`)
  const withoutPersons = { ...batch, persons: NO_PERSON_UPDATE }
  const secondError = await tryCommit(context, { ...withoutPersons, events, rejected: listRejected() })
  if (secondError === null) return
  await commit(context, {
    ...withoutPersons,
    events: [],
    rejected: [createRejectedRow(row, [...reasons, secondError.message].join('. '))],
  })
}

const listUnstored = (unstored: readonly string[]): string => `Not stored: ${unstored.slice(0, MAX_LISTED).join(', ')}`

/** Rejects a row, whose persons are kept. */
const commitWithoutEvents = async (context: IndexContext, batch: EventBatch, row: InboxRow): Promise<void> => {
  const unstored = await commitPersonsInParts(context.store, batch.persons)
  const reasons = ['Its events need more memory than the store may use']
  if (unstored.length > 0) reasons.push(listUnstored(unstored))
  const rejected = [...batch.rejected, createRejectedRow(row, reasons.join('. '))]
  await commit(context, { ...batch, persons: NO_PERSON_UPDATE, events: [], rejected })
}

/** Commits a batch; resolves to the error if the store cannot store it, else to null. */
const tryCommit = async (context: IndexContext, batch: EventBatch): Promise<UnstorableError | null> => {
  try {
    await commit(context, batch)
    return null
  } catch (error) {
    if (error instanceof UnstorableError) return error
    throw error
  }
}

const commit = async ({ store, onRejected }: IndexContext, batch: EventBatch): Promise<void> => {
  await store.commit(batch)
  for (const row of batch.rejected) onRejected(row)
}

/**
 * The changes of a chunk, in order. A change that only repeats that a distinct id exists is left out, unless it makes the
 * person's first event earlier.
 */
const changesIn = (chunk: Chunk): RowChange[] => {
  const changes: RowChange[] = []
  /** Distinct id to the time of its earliest event so far. */
  const earliestTimestamps = new Map<string, number>()
  for (const { events } of chunk) {
    for (const { change: rowChange } of events) {
      if (rowChange === null) continue
      const { change, timestampMs } = rowChange
      if (change.kind === 'person') {
        const earliestMs = earliestTimestamps.get(change.distinctId)
        if (earliestMs !== undefined && earliestMs <= timestampMs && isPlainChange(change)) continue
        earliestTimestamps.set(change.distinctId, Math.min(earliestMs ?? timestampMs, timestampMs))
      }
      changes.push(rowChange)
    }
  }
  return changes
}
