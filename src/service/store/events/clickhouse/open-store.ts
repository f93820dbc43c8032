import { createPersonIdCache } from '../../../persons/person-id.ts'
import { fromStoredPosition } from '../../row-position.ts'
import type { EventBatch, EventIdentity, EventStore } from '../event-store.ts'
import { NO_PERSON_UPDATE, UnstorableError } from '../event-store.ts'
import { nextPersonRevision } from '../next-person-revision.ts'
import { createPendingUuids } from '../pending-uuids.ts'
import type { ClickHouseConnection, ClickHouseOptions } from './connect.ts'
import { connectClickHouse } from './connect.ts'
import { createDatabase } from './create-database.ts'
import { findStored } from './find-stored.ts'
import { createPendingRows, encodeProgress, PROGRESS_COLUMNS } from './pending-rows.ts'
import type { Progress } from './pending-rows.ts'
import { quoteName, quoteString } from '../../../sql/quote-clickhouse.ts'
import { readRows } from './read-rows.ts'
import { runCommand } from './run-command.ts'
import { createSelectRunner } from './run-select.ts'
import { isDataError, toStoreServerError } from './server-error.ts'
import { createAnswers } from './question/answer-question.ts'
import { PERSON_TABLES } from './schema.ts'
import { writeBlock } from './write-block.ts'
import type { WrittenBases } from './written-bases.ts'
import { createWrittenBases } from './written-bases.ts'

/** The store of a project on a server. */
export interface ClickHouseStoreOptions {
  readonly server: ClickHouseOptions
  readonly projectId: number
  /** The uuid of the project. Default: no project in particular, for tests. */
  readonly owner?: string
  /** The node whose events the store gets: each has a position of its own. Default: `local`. */
  readonly node?: string
  /** What the process has written by all its stores. Default: nothing yet. */
  readonly bases?: WrittenBases
}

/**
 * Opens a project's event store, or creates it. Rejects with nothing left open, so that it can be retried: with `StoreServerError` when the
 * server does not answer or refuses.
 *
 * A commit writes block after block, and the position at last. After a failure in the middle, the same events are read again from the
 * inbox, and those that are stored already are found by their uuids. Other nodes may store the same event at the same time: readers then see
 * one of them (`schema.ts`).
 */
export const openClickHouseStore = async (options: ClickHouseStoreOptions): Promise<EventStore> => {
  const connection = await connectClickHouse(options.server, options.projectId)
  try {
    await createDatabase(connection, options.owner)
    return await createStore(connection, options)
  } catch (error) {
    await connection.close()
    throw toStoreServerError(connection.place, error)
  }
}

const createStore = async (
  connection: ClickHouseConnection,
  { projectId, node = 'local', bases = createWrittenBases() }: ClickHouseStoreOptions,
): Promise<EventStore> => {
  const { administrator, place } = connection
  let progress = await readProgress(connection, node)
  /** With the batches that are added and not committed. */
  let addedProgress = progress
  /** Of the last attempt to write the position: one that has failed may still be written, and is then older than the next. */
  let lastVersion = progress.version
  const pendingUuids = createPendingUuids()
  const pendingRows = createPendingRows({ deriveOriginId: createPersonIdCache(projectId), node, projectId, bases })
  const runner = createSelectRunner(connection)
  let commitEnded: Promise<unknown> = Promise.resolve()

  const discard = (): void => {
    pendingUuids.clear()
    pendingRows.clear()
    addedProgress = progress
  }

  const add = (batch: EventBatch): void => {
    const revision = nextPersonRevision(batch.persons, addedProgress.revision)
    try {
      pendingRows.add(batch, revision)
    } catch (error) {
      discard()
      throw toUnstorableError(error)
    }
    addedProgress = { position: batch.position, revision, version: addedProgress.version }
  }

  const writeAdded = async (): Promise<void> => {
    const { replacesAll, personBlocks, statements, eventBlocks } = pendingRows.take()
    lastVersion += 1
    const newProgress = { ...addedProgress, version: lastVersion }
    if (replacesAll)
      for (const table of PERSON_TABLES) await runCommand(administrator, `TRUNCATE TABLE ${quoteName(table)}`)
    for (const block of personBlocks) await writeBlock(administrator, block)
    for (const statement of statements) await runCommand(administrator, statement)
    for (const block of eventBlocks) await writeBlock(administrator, block)
    await writeBlock(administrator, {
      table: 'progress',
      columns: PROGRESS_COLUMNS,
      rows: encodeProgress(node, newProgress),
    })
    pendingUuids.onCommit(newProgress.position)
    pendingRows.onWritten()
    progress = newProgress
  }

  return {
    position: () => progress.position,
    personRevision: () => progress.revision,
    async findDuplicates(events) {
      const duplicates = new Set<EventIdentity>()
      const unclaimed = events.filter((event) => {
        const isClaimed = pendingUuids.isClaimed(event)
        if (isClaimed) duplicates.add(event)
        return !isClaimed
      })
      const stored = await findStored(administrator, unclaimed).catch((error: unknown) => {
        throw toStoreServerError(place, error)
      })
      for (const event of unclaimed) if (stored.has(event.uuid)) duplicates.add(event)
      return duplicates
    },
    async canStore(events) {
      await commitEnded
      discard()
      try {
        add({ position: progress.position, events, persons: NO_PERSON_UPDATE, rejected: [] })
        return true
      } catch (error) {
        if (error instanceof UnstorableError) return false
        throw error
      } finally {
        discard()
      }
    },
    // eslint-disable-next-line typescript/require-await
    async add(batch) {
      add(batch)
    },
    async commit(batch) {
      if (batch !== undefined) add(batch)
      const commit = writeAdded()
      commitEnded = commit.catch(discard)
      await commit.catch((error: unknown) => {
        discard()
        throw isDataError(error) ? new UnstorableError('content', error) : toStoreServerError(place, error)
      })
    },
    async discard() {
      await commitEnded
      discard()
    },
    ...createAnswers(connection, runner),
    interrupt: runner.interrupt,
    async close() {
      runner.interrupt()
      await Promise.all([commitEnded, runner.ended()])
      discard()
      await connection.close()
    },
  }
}

const readProgress = async ({ administrator }: ClickHouseConnection, node: string): Promise<Progress> => {
  const [row] = await readRows<readonly (string | number | null)[]>(
    administrator,
    `SELECT inbox_row, events, person_revision, version FROM progress FINAL WHERE node = ${quoteString(node)}`,
  )
  if (row === undefined) return { position: fromStoredPosition(undefined), revision: 0, version: 0 }
  const [inboxRow, events, revision, version] = row
  return {
    position: fromStoredPosition({ inbox_row: Number(inboxRow), events: events === null ? null : Number(events) }),
    revision: Number(revision),
    version: Number(version),
  }
}

/** `JSON.stringify` throws a `RangeError` for a value that is nested too deeply, and `JSON.parse` a `SyntaxError` for damaged properties. */
const toUnstorableError = (error: unknown): unknown =>
  error instanceof RangeError || error instanceof SyntaxError ? new UnstorableError('content', error) : error
