import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { indexRows } from '../../../src/service/indexer/index-rows.ts'
import type { OlderFile } from '../../../src/service/indexer/refresh-persons.ts'
import { refreshPersons } from '../../../src/service/indexer/refresh-persons.ts'
import { quarantineRow } from '../../../src/service/indexer/quarantine/quarantine-row.ts'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { PersonUpdater } from '../../../src/service/persons/person-updater.ts'
import { createPersonUpdater } from '../../../src/service/persons/person-updater.ts'
import { openDuckDbStore } from '../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore, RejectedRow } from '../../../src/service/store/events/event-store.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { loadPersons } from '../../../src/service/store/metadata/persons.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { select } from '../../contract/service-event-store.ts'
import { rowOptions } from '../support/row-options.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { isOnPostgres, openTestMetadata } from '../support/open-test-metadata.ts'

/** The parts of a person that do not depend on the order of events, for comparisons. */
export interface ComparablePerson {
  /** The distinct id from which the person's id was derived. */
  readonly first: string
  readonly distinctIds: readonly string[]
  readonly properties: unknown
  readonly createdAt: number
  readonly isIdentified: boolean
}

const PERSON_TABLES = [
  'persons',
  'person_distinct_ids',
  'groups',
  'person_changes',
  'group_changes',
  'person_positions',
] as const

/**
 * Indexes requests with the real person updater, metadata and event stores of two projects. Small persons are merged as large ones are.
 */
export const openPersonsTestBed = async () => {
  const folder = createTempFolder()
  const metadata = await openTestMetadata()
  for (const name of ['one', 'two']) await createProject(metadata, name, 0)
  const storeFile = (projectId: number): string => join(folder, `${projectId}.duckdb`)
  const openStore = (projectId: number): Promise<EventStore> =>
    openDuckDbStore({
      file: storeFile(projectId),
      deriveOriginId: (distinctId) => derivePersonId(projectId, distinctId),
      memoryMb: 128,
      spillMb: 16,
      threads: 1,
    })
  const stores = new Map([
    [1, await openStore(1)],
    [2, await openStore(2)],
  ])
  onTestFinished(async () => {
    for (const store of stores.values()) await store.close()
    await metadata.destroy()
  })
  const warnings: string[] = []
  const warn = (message: string): unknown => warnings.push(message)
  const createUpdater = () => createPersonUpdater(metadata, { isShared: isOnPostgres(), warn, maxMovedIds: 1 })
  let updater = createUpdater()
  let lastRow = 0
  let oldStores = 0

  /** Creates the next inbox row: a request with these events. */
  const createRow = (events: readonly unknown[], projectId = 1): InboxRow => {
    const id = ++lastRow
    const body = Buffer.from(JSON.stringify({ api_key: 'key', batch: events }))
    return { id, projectId, receivedAt: 1_800_000_000_000 + id, address: null, form: '{}', body }
  }

  const indexInto = (store: EventStore, rows: readonly InboxRow[], personUpdater: PersonUpdater): Promise<void> => {
    const projectId = rows[0]!.projectId
    const onRejected = ({ reason }: { readonly reason: string }): unknown => warnings.push(reason)
    return indexRows(
      {
        personUpdater,
        store,
        projectId,
        memoryFailures: new Map(),
        failedCommits: new Map(),
        rowOptions,
        onRejected,
      },
      rows,
    )
  }

  /** Indexes rows of one project as one batch. */
  const index = (rows: readonly InboxRow[]): Promise<void> => indexInto(stores.get(rows[0]!.projectId)!, rows, updater)

  /** Simulates a new process, whose person updater has an empty cache. */
  const restart = (): void => {
    updater = createUpdater()
  }

  /** Fails to index rows after the metadata is written and before the events are; `killed` also restarts the process. */
  const failIndexing = async (rows: readonly InboxRow[], reason: 'killed' | 'disk full'): Promise<void> => {
    const store = stores.get(rows[0]!.projectId)!
    await indexInto({ ...store, commit: () => Promise.reject(new Error(reason)) }, rows, updater).catch(() => {})
    if (reason === 'killed') restart()
  }

  /** Replaces the store of project 1 by a copy of `earlier`, or by a new store. Resolves to the path of the old file. */
  const replaceStore = async (earlier?: string): Promise<string> => {
    await stores.get(1)!.close()
    const oldFile = join(folder, `old ${++oldStores}`)
    renameSync(storeFile(1), oldFile)
    if (earlier !== undefined) copyFileSync(earlier, storeFile(1))
    stores.set(1, await openStore(1))
    return oldFile
  }

  /** Backs up the person tables of the metadata. The returned function restores them and simulates a restart. */
  const backUpPersons = async (): Promise<() => Promise<void>> => {
    const backups = await Promise.all(
      PERSON_TABLES.map(async (table) => ({ table, rows: await metadata.selectFrom(table).selectAll().execute() })),
    )
    return async () => {
      for (const { table, rows } of backups) {
        await metadata.deleteFrom(table).execute()
        for (const row of rows) await metadata.insertInto(table).values(row).execute()
      }
      restart()
    }
  }

  /** Refreshes the persons in the store of project 1, as when it is opened; the process can die after some commits. */
  const refresh = (firstInboxRow: number | undefined, commits = Infinity): Promise<OlderFile | null> => {
    const store = stores.get(1)!
    let remaining = commits
    const commit: EventStore['commit'] = (batch) =>
      remaining-- > 0 ? store.commit(batch) : Promise.reject(new Error('ended'))
    return refreshPersons({ metadata, store: { ...store, commit }, projectId: 1, firstInboxRow: () => firstInboxRow })
  }

  /** Quarantines a row of project 1. */
  const quarantine = (row: InboxRow): Promise<RejectedRow> =>
    quarantineRow({ metadata, store: stores.get(1)!, projectId: 1 }, row, 'poison')

  /** The persons in the metadata whose distinct ids have a prefix, without the prefix. */
  const readMetadataPersons = async (prefix = '', projectId = 1): Promise<ComparablePerson[]> => {
    const rows = await metadata
      .selectFrom('person_distinct_ids as map')
      .innerJoin('persons as person', (on) =>
        on.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
      )
      .select(['map.distinct_id', 'person.id', 'person.public_id', 'person.created_at', 'person.is_identified'])
      .where('map.project_id', '=', projectId)
      .execute()
    const loaded = await loadPersons(
      metadata,
      projectId,
      rows.map((row) => row.id),
    )
    const properties = new Map(loaded.map((person) => [person.id, JSON.stringify(person.properties)]))
    return toComparable(
      rows.map((row) => [
        row.distinct_id,
        row.public_id ?? row.id,
        properties.get(row.id)!,
        row.created_at,
        row.is_identified === 1,
      ]),
      prefix,
      projectId,
    )
  }

  /** The same persons in the event store. */
  const readStorePersons = async (prefix = '', projectId = 1): Promise<ComparablePerson[]> =>
    toComparable(
      (await select(
        stores.get(projectId)!,
        `SELECT map.distinct_id, person.id, person.properties::VARCHAR, epoch_ms(person.created_at), person.is_identified
        FROM persons AS person LEFT JOIN person_distinct_ids AS map ON map.person_id = person.id`,
        100_000,
      )) as PersonRow[],
      prefix,
      projectId,
    )

  const query = (sql: string, projectId = 1): Promise<readonly unknown[]> => select(stores.get(projectId)!, sql)

  return {
    metadata,
    warnings,
    createRow,
    index,
    failIndexing,
    restart,
    backUpPersons,
    replaceStore,
    refresh,
    quarantine,
    readMetadataPersons,
    readStorePersons,
    query,
  }
}

type PersonRow = [distinctId: string, id: string, properties: string, createdAt: number, isIdentified: boolean]

const toComparable = (rows: readonly PersonRow[], prefix: string, projectId: number): ComparablePerson[] => {
  const prefixed = rows.filter(([distinctId]) => distinctId.startsWith(prefix))
  return [...new Set(prefixed.map(([, id]) => id))]
    .map((id): ComparablePerson => {
      const personRows = prefixed.filter((row) => row[1] === id)
      const [, , properties, createdAt, isIdentified] = personRows[0]!
      const distinctIds = personRows.map(([distinctId]) => distinctId).sort()
      const first = distinctIds.find((distinctId) => derivePersonId(projectId, distinctId) === id) ?? 'none'
      return {
        first: first.slice(prefix.length),
        distinctIds: distinctIds.map((distinctId) => distinctId.slice(prefix.length)),
        properties: JSON.parse(properties),
        createdAt,
        isIdentified,
      }
    })
    .sort((a, b) => (a.first < b.first ? -1 : 1))
}
