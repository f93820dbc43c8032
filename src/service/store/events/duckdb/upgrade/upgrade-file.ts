import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync } from 'node:fs'
import { quoteIdentifier, quoteString } from '../../../../sql/quote.ts'
import { renameDurably } from '../../../file/rename-durably.ts'
import type { DeriveOriginId } from '../distinct-ids.ts'
import type { DuckDbLimits } from '../open-instance.ts'
import { STORAGE_VERSION } from '../open-instance.ts'
import { STAGING, TABLES } from '../schema.ts'
import { checkFreeSpace } from './check-free-space.ts'
import { copyCurrentFile } from './copy-current-file.ts'
import { copyEarlierFile } from './copy-earlier-file.ts'
import { readEventLayout } from './event-layout.ts'
import type { FilePair } from './file-pair.ts'
import { checkEventCount, ForeignCopyError } from './file-pair.ts'
import { removeCopy, removeDamagedCopy } from './unfinished-copy.ts'

/** How a file is upgraded. */
export interface UpgradeOptions extends DuckDbLimits {
  readonly file: string
  readonly deriveOriginId: DeriveOriginId
}

/**
 * Copies the file into a new one with today's tables, and replaces it.
 *
 * The new file gets its name only when it is complete. An upgrade that was killed or failed leaves both files, and the next one continues.
 * Needs as much free disk space as the file takes. No instance may have the file open.
 */
export const upgradeFile = async (options: UpgradeOptions): Promise<void> => {
  const { file } = options
  const newFile = `${file}.new`
  await removeDamagedCopy(newFile, options)
  try {
    await copyFile(options, newFile)
  } catch (error) {
    if (!(error instanceof ForeignCopyError)) throw error
    removeCopy(newFile)
    await copyFile(options, newFile)
  }
  renameDurably(newFile, file)
}

/** Memory limit of a copy, at least: DuckDB reads 2,048 rows at once, and events can be large. */
const MIN_MEMORY_MB = 1024

const copyFile = async (
  { file, deriveOriginId, memoryMb, spillMb, threads }: UpgradeOptions,
  newFile: string,
): Promise<void> => {
  await checkFreeSpace(file, newFile)
  const instance = await DuckDBInstance.create(file, {
    memory_limit: `${Math.max(memoryMb, MIN_MEMORY_MB)}MB`,
    threads: String(threads),
    temp_directory: `${file}.spill`,
    max_temp_directory_size: `${spillMb}MB`,
  })
  try {
    const reader = await instance.connect()
    const writer = await instance.connect()
    try {
      // Moves the rows of the write-ahead log into the file, so that no log is left when the new file takes its name.
      await reader.run('CHECKPOINT')
      const [[catalog] = []] = (await reader.runAndReadAll('SELECT current_database()')).getRows()
      await writer.run(`ATTACH ${quoteString(newFile)} AS upgraded (STORAGE_VERSION '${STORAGE_VERSION}')`)
      await writer.run('USE upgraded')
      await copyTables({ reader, writer, old: quoteIdentifier(String(catalog)) }, deriveOriginId)
      await writer.run('CHECKPOINT upgraded')
      await writer.run(`USE ${quoteIdentifier(String(catalog))}`)
      await writer.run('DETACH upgraded')
    } finally {
      reader.closeSync()
      writer.closeSync()
    }
  } finally {
    instance.closeSync()
  }
  for (const path of [file, newFile]) {
    if (existsSync(`${path}.wal`))
      throw new Error(`${path}.wal was not written into ${path}: the file is not replaced.`)
  }
}

/** Copies the tables that the new file does not have yet, or only in part. */
const copyTables = async (files: FilePair, deriveOriginId: DeriveOriginId): Promise<void> => {
  const { reader, writer } = files
  const layout = await readEventLayout(reader)
  for (const statement of [...TABLES, ...STAGING]) await writer.run(statement)
  if (layout?.version === 'current') await copyCurrentFile(files, layout)
  else await copyEarlierFile(files, layout, deriveOriginId)
  if (layout !== null) await checkEventCount(files, layout.table)
}
