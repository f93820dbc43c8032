import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nullIfMissing } from './null-if-missing.ts'
import { parseClickHouseUrl } from './store/events/clickhouse/clickhouse-source.ts'
import { syncFolder } from './store/file/sync-folder.ts'
import { writeDurably } from './store/file/write-durably.ts'

/** The databases in ClickHouse that have the events of a data folder. */
export interface EventsPlace {
  /** Host and port. */
  readonly host: string
  /** See `ClickHouseOptions.databasePrefix`. */
  readonly prefix: string
}

/** File in the folder of the events that says that these are in ClickHouse, and where: `host:8123/prefix`. */
export const eventsMarkFile = (eventsFolder: string): string => join(eventsFolder, 'in-clickhouse')

/** Reads the file. Null without one; `unknown` for the empty one of an earlier release. */
export const readEventsMark = (eventsFolder: string): EventsPlace | 'unknown' | null => {
  const content = nullIfMissing(() => readFileSync(eventsMarkFile(eventsFolder), 'utf8'))
  if (content === null) return null
  const [host, prefix] = content.trim().split('/')
  return host === undefined || prefix === undefined ? 'unknown' : { host, prefix }
}

/** Returns when the disk has the mark: from then on, ClickHouse has the events. */
export const writeEventsMark = (eventsFolder: string, { host, prefix }: EventsPlace): void =>
  writeDurably(eventsMarkFile(eventsFolder), `${host}/${prefix}\n`)

/** Returns when the disk no longer has the mark: from then on, files of the folder have the events. */
export const removeEventsMark = (eventsFolder: string): void => {
  rmSync(eventsMarkFile(eventsFolder), { force: true })
  syncFolder(eventsFolder)
}

/** The place that a valid URL of `--events` names. */
export const placeOfUrl = (url: string): EventsPlace => {
  const { url: server, databasePrefix } = parseClickHouseUrl(url)
  return { host: new URL(server).host, prefix: databasePrefix }
}
