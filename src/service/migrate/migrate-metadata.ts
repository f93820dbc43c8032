import { rmSync } from 'node:fs'
import { hasMetadataFile, StartError } from '../data-folder.ts'
import type { DataFolder } from '../data-folder.ts'
import { readEventsMark } from '../events-mark.ts'
import { assignPlannedId, findNodeId, nodeIdFile, planNodeId } from '../read-node-id.ts'
import { copyMetadata } from '../store/metadata/copy/copy-metadata.ts'
import type { CopyEnd } from '../store/metadata/copy/copy-metadata.ts'
import { ONLY_NODE } from '../store/metadata/node-id.ts'
import { describeSource, openMetadata } from '../store/metadata/open.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { PostgresSource } from '../store/metadata/postgres/postgres-source.ts'
import { renameDurably } from '../store/file/rename-durably.ts'

/*
 * The metadata of a data folder are in its file, or in PostgreSQL when the folder has a node id. While it has both, they are equal, and the
 * service does not start: a migration was interrupted after its copy was complete, and the next only removes one of the two.
 */

/**
 * What a migration did: it copied that many `rows`, `finished` another that was interrupted after it had copied all, or there was nothing
 * to do (`already`).
 */
export type Migration = { readonly kind: 'copied'; readonly rows: number } | { readonly kind: 'finished' | 'already' }

/**
 * Copies the metadata of a locked data folder into a PostgreSQL database, and sets the file aside. It can be interrupted at any time and
 * run again. Throws `StartError` when the database has projects of another installation.
 *
 * @param aside New path of the file.
 */
export const migrateToPostgres = async (
  folder: DataFolder,
  postgres: PostgresSource,
  aside: string,
): Promise<Migration> => {
  requireOwnEvents(folder)
  if (!hasMetadataFile(folder)) {
    if (findNodeId(folder.path) !== null) return { kind: 'already' }
    throw new StartError(`The data folder ${folder.path} has no metadata.`)
  }
  if (findNodeId(folder.path) !== null) {
    renameDurably(folder.metadata, aside)
    return { kind: 'finished' }
  }
  const nodeId = planNodeId(folder.path)
  const rows = await withMetadata(folder.metadata, ONLY_NODE, (from) =>
    withMetadata(postgres, nodeId, async (to) => {
      await requireUnused(to)
      return copyMetadata(from, to)
    }),
  )
  assignPlannedId(folder.path)
  renameDurably(folder.metadata, aside)
  return { kind: 'copied', rows }
}

/**
 * Copies the metadata of a locked data folder from PostgreSQL into its file. Like `migrateToPostgres` otherwise. The database stays as it
 * is. Throws `StartError` when it serves other data folders, too.
 */
export const migrateToFile = async (folder: DataFolder, postgres: PostgresSource): Promise<Migration> => {
  const nodeId = findNodeId(folder.path)
  if (nodeId === null) return { kind: 'already' }
  requireOwnEvents(folder)
  const migration: Migration = (await isComplete(folder))
    ? { kind: 'finished' }
    : { kind: 'copied', rows: await copyToFile(folder.metadata, postgres, nodeId) }
  rmSync(nodeIdFile(folder.path))
  return migration
}

const copyToFile = async (path: string, postgres: PostgresSource, nodeId: string): Promise<number> => {
  const temporary = `${path}.migrating`
  // Of a migration that was interrupted.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${temporary}${suffix}`, { force: true })
  const rows = await withMetadata(postgres, nodeId, async (from) => {
    await requireOnlyNode(from)
    return withMetadata(temporary, ONLY_NODE, (to) => copyMetadata(from, to))
  })
  // Of the file that is replaced.
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
  renameDurably(temporary, path)
  return rows
}

const withMetadata = async <Result>(
  source: CopyEnd['source'],
  nodeId: string,
  run: (end: CopyEnd) => Promise<Result>,
): Promise<Result> => {
  const metadata = await openMetadata(source)
  try {
    return await run({ metadata, source, nodeId })
  } finally {
    await metadata.destroy()
  }
}

/** ClickHouse knows the node's position by its id, which a migration changes. */
const requireOwnEvents = ({ path, events }: DataFolder): void => {
  if (readEventsMark(events) !== null)
    throw new StartError(
      `The events of the data folder ${path} are in ClickHouse; metadata can be moved only while events are in the folder.`,
    )
}

/** Whether the metadata file is the copy of a migration. Otherwise its tables are empty, or it is not there. */
const isComplete = (folder: DataFolder): Promise<boolean> =>
  hasMetadataFile(folder)
    ? withMetadata(folder.metadata, ONLY_NODE, async ({ metadata }) => (await listNodes(metadata)).length > 0)
    : Promise.resolve(false)

const listNodes = (metadata: Metadata) => metadata.selectFrom('inbox_mark').select('node_id').execute()

/** Requires a database that is new, or has an earlier copy of this folder only. */
const requireUnused = async ({ metadata, source, nodeId }: CopyEnd): Promise<void> => {
  const other = await findOtherNode(metadata, nodeId)
  const hasProject = (await metadata.selectFrom('projects').select('id').limit(1).execute()).length > 0
  const isOwn = (await listNodes(metadata)).length > 0 && other === undefined
  if (other !== undefined || (hasProject && !isOwn))
    throw new StartError(`${describeSource(source)} is in use; choose an empty database.`)
}

const requireOnlyNode = async ({ metadata, source, nodeId }: CopyEnd): Promise<void> => {
  if ((await findOtherNode(metadata, nodeId)) !== undefined)
    throw new StartError(`${describeSource(source)} serves other data folders, too; a file serves one folder only.`)
}

const findOtherNode = (metadata: Metadata, nodeId: string) =>
  metadata.selectFrom('inbox_mark').select('node_id').where('node_id', '!=', nodeId).executeTakeFirst()
