import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { indexRows } from '../../../src/service/indexer/index-rows.ts'
import type { EarlierState } from '../../../src/service/indexer/renew-persons.ts'
import { renewPersons } from '../../../src/service/indexer/renew-persons.ts'
import { setAside } from '../../../src/service/indexer/quarantine/quarantine-row.ts'
import { personId } from '../../../src/service/persons/person-id.ts'
import type { PersonRegister } from '../../../src/service/persons/register.ts'
import { createPersonRegister } from '../../../src/service/persons/register.ts'
import { openDuckDbStore } from '../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore, RejectedRow } from '../../../src/service/store/events/event-store.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { select } from '../../contract/service-event-store.ts'
import { noAddresses } from '../support/no-addresses.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A person as a test compares them: what is the same however they came to be. */
export interface SeenPerson {
  /** The distinct id that the person's own id was made from. */
  readonly first: string
  readonly distinctIds: readonly string[]
  readonly properties: unknown
  readonly createdAt: number
  readonly isIdentified: boolean
}

const PERSON_TABLES = ['persons', 'person_distinct_ids', 'groups', 'person_positions'] as const

/** The real register on real metadata, and the real event store, behind the real reading of requests. */
export const openPersonsBed = async () => {
  const folder = tempFolder()
  const metadata = await openMetadata(join(folder, 'metadata.sqlite'))
  for (const name of ['one', 'two']) await createProject(metadata, name, 0)
  const fileOf = (projectId: number): string => join(folder, `${projectId}.duckdb`)
  const openStore = (projectId: number): Promise<EventStore> =>
    openDuckDbStore({
      file: fileOf(projectId),
      originOf: (distinctId) => personId(projectId, distinctId),
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
  const openRegister = () => createPersonRegister(metadata, (message) => warnings.push(message))
  let register = openRegister()
  let lastRow = 0
  let asides = 0

  /** An inbox row of a request with these events, after all rows before. */
  const rowOf = (events: readonly unknown[], projectId = 1): InboxRow => {
    const id = ++lastRow
    const body = Buffer.from(JSON.stringify({ api_key: 'key', batch: events }))
    return { id, projectId, receivedAt: 1_800_000_000_000 + id, address: null, form: '{}', body }
  }

  const indexInto = (store: EventStore, rows: readonly InboxRow[], by: PersonRegister): Promise<void> => {
    const projectId = rows[0]!.projectId
    const onRejected = ({ reason }: { readonly reason: string }): unknown => warnings.push(reason)
    return indexRows(
      { register: by, store, projectId, memoryFailures: new Map(), addresses: noAddresses, onRejected },
      rows,
    )
  }

  /** Indexes rows of one project, as one batch. */
  const index = (rows: readonly InboxRow[]): Promise<void> => indexInto(stores.get(rows[0]!.projectId)!, rows, register)

  /** A new process: what the register remembers is forgotten. */
  const restart = (): void => {
    register = openRegister()
  }

  /** Fails to index rows, when the metadata is written and the events are not; the process is `killed`, or goes on. */
  const failIndexing = async (rows: readonly InboxRow[], reason: 'killed' | 'disk full'): Promise<void> => {
    const store = stores.get(rows[0]!.projectId)!
    await indexInto({ ...store, commit: () => Promise.reject(new Error(reason)) }, rows, register).catch(() => {})
    if (reason === 'killed') restart()
  }

  /** Puts the store of project 1 aside, and an earlier file, or a new one, in its place. Answers where the old one is. */
  const replaceStore = async (earlier?: string): Promise<string> => {
    await stores.get(1)!.close()
    const aside = join(folder, `aside ${++asides}`)
    renameSync(fileOf(1), aside)
    if (earlier !== undefined) copyFileSync(earlier, fileOf(1))
    stores.set(1, await openStore(1))
    return aside
  }

  /** Takes a backup of what the metadata knows of persons; the answer puts it back, as a service that starts finds it. */
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

  /** Renews the persons of project 1 in its store, as its opening does; the process may end after some commits. */
  const renew = (firstInboxRow: number | undefined, commits = Infinity): Promise<EarlierState | null> => {
    const store = stores.get(1)!
    let left = commits
    const commit: EventStore['commit'] = (batch) =>
      left-- > 0 ? store.commit(batch) : Promise.reject(new Error('ended'))
    return renewPersons({ metadata, store: { ...store, commit }, projectId: 1, firstInboxRow: () => firstInboxRow })
  }

  /** Sets a row of project 1 aside, as is done with one that kills the process. */
  const aside = (row: InboxRow): Promise<RejectedRow> =>
    setAside({ metadata, store: stores.get(1)!, projectId: 1 }, row, 'deadly')

  /** The persons of a project whose distinct ids begin with a prefix, which is cut off: as the metadata knows them. */
  const inMetadata = async (prefix = '', projectId = 1): Promise<SeenPerson[]> => {
    const rows = await metadata
      .selectFrom('person_distinct_ids as map')
      .innerJoin('persons as person', (on) =>
        on.onRef('person.project_id', '=', 'map.project_id').onRef('person.id', '=', 'map.person_id'),
      )
      .select(['map.distinct_id', 'person.id', 'person.properties', 'person.created_at', 'person.is_identified'])
      .where('map.project_id', '=', projectId)
      .execute()
    return seen(
      rows.map((row) => [row.distinct_id, row.id, row.properties, row.created_at, row.is_identified === 1]),
      prefix,
      projectId,
    )
  }

  /** The same as queries see them. */
  const inStore = async (prefix = '', projectId = 1): Promise<SeenPerson[]> =>
    seen(
      (await select(
        stores.get(projectId)!,
        `SELECT map.distinct_id, person.id, person.properties::VARCHAR, epoch_ms(person.created_at), person.is_identified
        FROM persons AS person LEFT JOIN person_distinct_ids AS map ON map.person_id = person.id`,
        100_000,
      )) as SeenRow[],
      prefix,
      projectId,
    )

  const query = (sql: string, projectId = 1): Promise<readonly unknown[]> => select(stores.get(projectId)!, sql)

  return {
    metadata,
    warnings,
    rowOf,
    index,
    failIndexing,
    restart,
    backUpPersons,
    replaceStore,
    renew,
    aside,
    inMetadata,
    inStore,
    query,
  }
}

type SeenRow = [distinctId: string, id: string, properties: string, createdAt: number, isIdentified: boolean]

const seen = (rows: readonly SeenRow[], prefix: string, projectId: number): SeenPerson[] => {
  const own = rows.filter(([distinctId]) => distinctId.startsWith(prefix))
  return [...new Set(own.map(([, id]) => id))]
    .map((id): SeenPerson => {
      const theirs = own.filter((row) => row[1] === id)
      const [, , properties, createdAt, isIdentified] = theirs[0]!
      const distinctIds = theirs.map(([distinctId]) => distinctId).sort()
      const first = distinctIds.find((distinctId) => personId(projectId, distinctId) === id) ?? 'nobody'
      return {
        first: first.slice(prefix.length),
        distinctIds: distinctIds.map((distinctId) => distinctId.slice(prefix.length)),
        properties: JSON.parse(properties),
        createdAt,
        isIdentified,
      }
    })
    .sort((one, other) => (one.first < other.first ? -1 : 1))
}
