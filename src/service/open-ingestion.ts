import type { ChosenMetadata } from './choose-metadata.ts'
import { chooseStoreSql } from './choose-store-sql.ts'
import type { CloseSteps } from './close-steps.ts'
import type { Config } from './config.ts'
import type { DataFolder } from './data-folder.ts'
import { findBuiltScript } from './find-built-script.ts'
import type { Indexer } from './indexer/indexer.ts'
import type { IndexerSettings } from './indexer/protocol.ts'
import { connectIndexer } from './indexer/remote/connect-indexer.ts'
import { indexerSocketPath } from './indexer/remote/remote-protocol.ts'
import { startIndexer } from './indexer/start-indexer.ts'
import type { StartIndexerOptions } from './indexer/start-indexer.ts'
import { toIndexerSettings } from './indexer-settings.ts'
import { startInboxCleaner } from './ingest/inbox-cleaner.ts'
import type { InboxCleaner } from './ingest/inbox-cleaner.ts'
import { startQuotaTracker } from './ingest/quota-tracker.ts'
import type { QuotaTracker } from './ingest/quota-tracker.ts'
import { reserveRowIds, roundUpToReserved } from './ingest/row-id-reservation.ts'
import type { CreateLog } from './log/create-logs.ts'
import { noop } from './noop.ts'
import { withStartErrors, withStartErrorsAsync } from './start-checks.ts'
import { watchFiles } from './watch-files.ts'
import type { EventsSource } from './store/events/events-source.ts'
import type { Inbox } from './store/inbox/inbox.ts'
import { openSqliteInbox } from './store/inbox/sqlite-inbox.ts'
import type { Metadata } from './store/metadata/open.ts'

export interface IngestionOptions {
  readonly config: Config
  readonly folder: DataFolder
  readonly chosen: ChosenMetadata
  readonly events: EventsSource
  /** Where the events are moved from; undefined if they stay. */
  readonly moveFrom: IndexerSettings['moveFrom']
  readonly onMoved: NonNullable<StartIndexerOptions['onMoved']>
  readonly metadata: Metadata
  /** Gets the steps that close what is opened. */
  readonly closeSteps: CloseSteps
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly logOf: CreateLog
}

/** What takes requests to the event store: the inbox, and the indexer that reads it. */
export interface Ingestion {
  readonly inbox: Inbox
  readonly indexer: Indexer
  readonly inboxCleaner: InboxCleaner
  readonly quota: QuotaTracker
}

/** Opens the inbox, and starts the indexer or connects to the one that runs by itself. Rejects with `StartError`. */
export const openIngestion = async ({
  config,
  folder,
  chosen,
  events,
  moveFrom,
  onMoved,
  metadata,
  closeSteps,
  now,
  logOf,
}: IngestionOptions): Promise<Ingestion> => {
  const { error: onError } = logOf('inbox')
  let onCommit = (_id: number): void => {}
  const inbox = withStartErrors(folder, 'inbox', () =>
    openSqliteInbox({
      path: folder.inbox,
      synchronous: config.inboxSynchronous,
      alsoGuarded: typeof chosen.source === 'string' ? [chosen.source] : [],
      onCommit: (id) => onCommit(id),
    }),
  )
  closeSteps.add(() => inbox.close())
  closeSteps.add(watchFiles(inbox.checkFiles, logOf('inbox')))
  const continueAbove = (id: number): number => withStartErrors(folder, 'inbox', () => inbox.continueAbove(id))
  const rowIds = await withStartErrorsAsync(folder, 'metadata', () =>
    reserveRowIds({ metadata, nodeId: chosen.nodeId }, folder.events, continueAbove, onError),
  )
  closeSteps.add(rowIds.whenSaved)
  const onStoreAhead = (projectId: number, row: number): void => {
    try {
      rowIds.recordId(inbox.renumberAbove(projectId, roundUpToReserved(row)))
    } catch (error) {
      // The indexer calls again at its next attempt.
      onError(error)
    }
  }
  const indexer =
    config.role === 'front'
      ? connectIndexer({ path: indexerSocketPath(config.dataFolder), onStoreAhead })
      : await startIndexer({
          settings: { ...toIndexerSettings(config, folder, chosen, events), moveFrom },
          script: findBuiltScript('indexer'),
          onProgress: noop,
          onMoved,
          onStoreAhead,
          logger: logOf('indexer'),
        })
  closeSteps.add(() => indexer.stop())
  onCommit = (id) => {
    rowIds.recordId(id)
    indexer.wake()
  }
  // Rows of an earlier run may wait.
  indexer.wake()
  const inboxCleaner = startInboxCleaner({
    inbox,
    position: () => indexer.status().position,
    limitBytes: config.inboxLimitBytes,
    onError,
  })
  closeSteps.add(inboxCleaner.stop)
  const quota = startQuotaTracker({
    indexer,
    engine: chooseStoreSql(config).engine,
    now,
    onWarning: logOf('quota').warn,
  })
  closeSteps.add(quota.stop)
  return { inbox, indexer, inboxCleaner, quota }
}
