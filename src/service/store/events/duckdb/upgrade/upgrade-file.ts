import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync } from 'node:fs'
import { quoteIdentifier, quoteString } from '../../../../sql/quote.ts'
import { renameDurably } from '../../../file/rename-durably.ts'
import type { DeriveOriginId } from '../distinct-ids.ts'
import type { DuckDbLimits } from '../open-instance.ts'
import { attachOptions } from '../attach-file.ts'
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
  // First, because it costs nothing: on a full disk an upgrade is tried again and again.
  await checkFreeSpace(file, newFile)
  await removeDamagedCopy(newFile, options)
  try {
    await copyFile(options, newFile)
  } catch (error) {
    if (isMemoryError(error)) throw memoryErrorOf(options, error)
    if (!(error instanceof ForeignCopyError)) throw error
    removeCopy(newFile)
    await copyFile(options, newFile)
  }
  renameDurably(newFile, file)
}

/** Whether DuckDB had too little memory. It reads and writes 2,048 rows at once, and events can be large. */
const isMemoryError = (error: unknown): boolean =>
  /out of memory|could not allocate|failed to (pin|allocate)/i.test(error instanceof Error ? error.message : '')

const memoryErrorOf = ({ file, memoryMb }: UpgradeOptions, cause: unknown): Error =>
  new Error(
    `${memoryMb} MB of memory are too little to copy ${file} into the format of this version: start with more --store-memory-mb`,
    { cause },
  )

const copyFile = async (options: UpgradeOptions, newFile: string): Promise<void> => {
  const { file, memoryMb, spillMb, threads } = options
  await checkFreeSpace(file, newFile)
  const instance = await DuckDBInstance.fromCache(file, {
    memory_limit: `${memoryMb}MB`,
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
      await writer.run(`ATTACH ${quoteString(newFile)} AS upgraded ${attachOptions(newFile)}`)
      await writer.run('USE upgraded')
      await copyTables({ reader, writer, old: quoteIdentifier(String(catalog)) }, options)
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
const copyTables = async (files: FilePair, options: UpgradeOptions): Promise<void> => {
  const { reader, writer } = files
  const layout = await readEventLayout(reader)
  for (const statement of [...TABLES, ...STAGING]) await writer.run(statement)
  if (layout?.version === 'current') await copyCurrentFile(files, layout)
  else await copyEarlierFile(files, layout, options)
  if (layout !== null) await checkEventCount(files, layout.table)
}
