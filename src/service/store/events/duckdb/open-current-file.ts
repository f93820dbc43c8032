import type { DuckDBConnection } from '@duckdb/node-api'
import { createFile } from './create-file.ts'
import type { FileFacts } from './file-facts.ts'
import type { DuckDbLimits, EventFile } from './open-instance.ts'
import { openInstance } from './open-instance.ts'
import { needsUpgrade } from './upgrade/event-layout.ts'
import { upgradeFile } from './upgrade/upgrade-file.ts'
import type { UpgradeOptions } from './upgrade/upgrade-file.ts'

/** A file to open. */
export interface OpenFileOptions extends UpgradeOptions {
  /** Whether a missing file is an error: it was deleted or moved away while the service runs. Default: it is created. */
  readonly mustExist?: boolean
  /** Receives a message when an older file is upgraded. Default: nothing. */
  readonly onRepair?: (message: string) => void
}

export interface CloseOptions {
  /** Whether the log may be written into the file: not after a failed commit, whose rows it could get. Default: true. */
  readonly mayCheckpoint?: boolean
  /** What the file has, so that its next opening need not read it. Default: unknown. */
  readonly facts?: FileFacts | undefined
}

/** An open file, and its connections. */
export interface OpenFile {
  readonly writer: DuckDBConnection
  /** The connection that finds duplicates while the writer commits. Few brief openings need it. */
  checker(): Promise<DuckDBConnection>
  /** Whether both have their staging tables, and the file has its tables. */
  readonly hasStaging: boolean
  /** What the file has, if it is known. */
  readonly facts?: FileFacts | undefined
  /** Throws `ReplacedFileError` if the file no longer has its name, so that writes to it would be lost. */
  checkFile(): void
  /** Connects once more, for a query. */
  connect(): Promise<DuckDBConnection>
  /** Closes the file at once, with the connections above: the garbage collector would do it after the next instance is open (see `openInstance`). */
  close(options?: CloseOptions): Promise<void>
}

/** Opens the file, after its upgrade if an older version of Waymark wrote it. */
export const openCurrentFile = async (options: OpenFileOptions): Promise<OpenFile> => {
  const { file, onRepair } = options
  await createFile(file, options)
  const openFile = await connect(file, options)
  try {
    if (!(await needsUpgrade(openFile.writer))) return openFile
  } catch (error) {
    await openFile.close()
    throw error
  }
  await openFile.close()
  onRepair?.(`${file} is copied into the format of this version. Events wait in the inbox meanwhile.`)
  await upgradeFile(options)
  return connect(file, options)
}

const connect = async (file: string, limits: DuckDbLimits): Promise<OpenFile> => {
  const instance = await openInstance(file, { ...limits, mustExist: true })
  let writer: DuckDBConnection | undefined
  try {
    writer = await instance.connect()
    return toOpenFile(instance, writer, await instance.connect())
  } catch (error) {
    writer?.closeSync()
    instance.closeSync()
    throw error
  }
}

const toOpenFile = (instance: EventFile, writer: DuckDBConnection, checker: DuckDBConnection): OpenFile => ({
  writer,
  checker: () => Promise.resolve(checker),
  hasStaging: false,
  checkFile: instance.checkFile,
  connect: () => instance.connect(),
  async close() {
    writer.closeSync()
    checker.closeSync()
    instance.closeSync()
  },
})
