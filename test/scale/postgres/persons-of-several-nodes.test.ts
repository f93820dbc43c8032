import { setTimeout } from 'node:timers/promises'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { RowChange } from '../../../src/service/persons/change.ts'
import { createPersonUpdater } from '../../../src/service/persons/person-updater.ts'
import type { PersonCopyUpdate } from '../../../src/service/store/events/event-store.ts'
import { connectMetadata, openMetadata } from '../../../src/service/store/metadata/open.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import type { PostgresSource } from '../../../src/service/store/metadata/postgres/postgres-source.ts'
import { savePersonProgress } from '../../../src/service/store/metadata/person-progress.ts'
import { withPersonLock } from '../../../src/service/store/metadata/postgres/person-lock.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { positionAfterRow } from '../../../src/service/store/row-position.ts'
import {
  addToCopy,
  anyTimedChange,
  createCopy,
  createReference,
  describeCopy,
  person,
  readMetadata,
} from '../../service/persons/reference-persons.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'

const NODES = ['a', 'b', 'c', 'd']
const BATCHES = 90
/** Batches of a node until it goes on with other ids: with the same ones, all persons would soon be merged into one. */
const BATCHES_WITH_SAME_IDS = 6

/** What a node has applied: its rows are 1, 2, 3… */
interface AppliedBatch {
  readonly node: string
  readonly row: number
  readonly persons: PersonCopyUpdate
}

type TimedChange = Pick<RowChange, 'change' | 'timestampMs'>

const withPrefix = (prefix: string, change: RowChange['change']): RowChange['change'] =>
  change.kind === 'group'
    ? { ...change, key: prefix + change.key }
    : {
        ...change,
        distinctId: prefix + change.distinctId,
        merge: change.merge && { ...change.merge, fromDistinctId: prefix + change.merge.fromDistinctId },
      }

/** The batches of each node. */
const createBatches = (seed: number): ReadonlyMap<string, readonly (readonly TimedChange[])[]> => {
  const anyBatch = fc.array(anyTimedChange, { minLength: 1, maxLength: 6 })
  return new Map(
    NODES.map((node, index) => [
      node,
      fc.sample(anyBatch, { seed: seed + index, numRuns: BATCHES }).map((batch, row) =>
        batch.map(({ change, timestampMs }) => ({
          change: withPrefix(`${Math.floor(row / BATCHES_WITH_SAME_IDS)} `, change),
          timestampMs,
        })),
      ),
    ]),
  )
}

/**
 * Notes the order of commits, and ends some transactions as if another had been in their way. Transactions of the service do not depend on
 * the default isolation of the database.
 */
const prepareDatabase = async ({ url }: PostgresSource): Promise<void> => {
  await queryPostgres(
    url,
    `create table commits (node text, row bigint, revision bigint);
    create sequence attempts;
    create function note_commit() returns trigger language plpgsql as $$ begin
      if nextval('attempts') % 5 = 0 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      insert into commits values (new.node_id, new.inbox_row, new.revision);
      return new;
    end $$;
    create trigger note_commit after insert or update on person_positions for each row execute function note_commit();`,
  )
  const name = new URL(url).pathname.slice(1)
  await queryPostgres(url, `alter database ${name} set default_transaction_isolation = 'repeatable read'`)
}

/** Applies the batches of a node, again and again where the connection ends, as a process that is started again. */
const runNode = async (
  source: PostgresSource,
  node: string,
  batches: readonly (readonly TimedChange[])[],
): Promise<AppliedBatch[]> => {
  const metadata = connectMetadata(source)
  try {
    const start = () => createPersonUpdater(metadata, { nodeId: node, isShared: true })
    let updater = start()
    const applied: AppliedBatch[] = []
    for (const [index, batch] of batches.entries()) {
      const row = index + 1
      const changes = batch.map(({ change, timestampMs }, ordinal) => ({ inboxRow: row, ordinal, change, timestampMs }))
      let result: PersonCopyUpdate | null = null
      while (result === null) {
        try {
          ;({ persons: result } = await updater.apply(1, changes, positionAfterRow(row)))
        } catch (error) {
          expect(String(error)).toMatch(/terminat|Connection|deadlock/i)
          updater = start()
        }
      }
      applied.push({ node, row, persons: result })
    }
    return applied
  } finally {
    await metadata.destroy()
  }
}

/** Ends all connections of the nodes several times, until they are done. */
const endConnections = async ({ url }: PostgresSource, done: Promise<unknown>): Promise<void> => {
  const isRunning = done.then(() => false)
  while (await Promise.race([isRunning, setTimeout(100, true)]))
    await queryPostgres(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'waymark-service' and random() < 0.5`,
    )
}

const readCommits = async ({ url }: PostgresSource) =>
  (await queryPostgres(url, 'select node, row::int, revision::int from commits order by revision')) as unknown as {
    readonly node: string
    readonly row: number
    readonly revision: number
  }[]

const openNodes = async (): Promise<{ readonly source: PostgresSource; readonly metadata: Metadata }> => {
  const source = await createEmptyDatabase()
  const metadata = await openMetadata(source)
  onTestFinished(() => metadata.destroy())
  await createProject(metadata, 'one', 0)
  return { source, metadata }
}

test.each([1, 2])('nodes change the same persons as if one did, in the order of commits (seed %i)', async (seed) => {
  const { source, metadata } = await openNodes()
  await prepareDatabase(source)
  const batches = createBatches(seed)
  const running = Promise.all(NODES.map((node) => runNode(source, node, batches.get(node)!)))
  await endConnections(source, running)
  const applied = (await running).flat()

  const commits = await readCommits(source)
  expect(commits.map(({ revision }) => revision)).toEqual(commits.map((_, index) => index + 1))
  const reference = createReference()
  const committed = new Set(commits.map(({ node, row }) => `${node} ${row}`))
  const unchanging = applied.filter(({ node, row }) => !committed.has(`${node} ${row}`))
  for (const { node, row, revision } of commits) {
    reference.apply(batches.get(node)![row - 1]!)
    // What changed nothing then, changes nothing here.
    const expected = JSON.stringify(describeCopy(reference.read()))
    for (const each of unchanging.filter(({ persons }) => persons.revision === revision))
      reference.apply(batches.get(each.node)![each.row - 1]!)
    expect(JSON.stringify(describeCopy(reference.read()))).toBe(expected)
  }
  const stored = await readMetadata(metadata)
  expect(stored).toEqual(describeCopy(reference.read()))

  // The copies of all nodes together, of which the highest revision wins.
  const copy = createCopy()
  for (const { persons } of applied.toSorted((a, b) => (a.persons.revision ?? 0) - (b.persons.revision ?? 0)))
    addToCopy(copy, persons)
  expect(describeCopy(copy)).toEqual(stored)
  expect(stored.persons.length).toBeGreaterThan(BATCHES / BATCHES_WITH_SAME_IDS)
})

const isWaitingForLock = async ({ url }: PostgresSource): Promise<boolean> =>
  (await queryPostgres(url, 'select 1 from pg_locks where not granted')).length > 0

test('applies nothing twice that a killed process of the node is still committing', async () => {
  const { source, metadata } = await openNodes()
  const killed = connectMetadata(source)
  onTestFinished(() => killed.destroy())
  const changes: RowChange[] = [{ inboxRow: 1, ordinal: 0, timestampMs: 0, change: person({ distinctId: 'ada' }) }]
  let commit = (): void => undefined
  const committing = withPersonLock(killed, 1, async (transaction) => {
    await savePersonProgress(transaction, 'a', 1, { position: positionAfterRow(1), revision: 1 })
    await new Promise<void>((resolve) => (commit = resolve))
  })
  await expect
    .poll(() => queryPostgres(source.url, `select 1 from pg_locks where locktype = 'advisory'`))
    .toHaveLength(1)
  const applied = createPersonUpdater(metadata, { nodeId: 'a', isShared: true }).apply(1, changes, positionAfterRow(1))
  await expect.poll(() => isWaitingForLock(source)).toBe(true)
  commit()
  await committing
  await applied
  expect((await readMetadata(metadata)).persons).toEqual([])
})
